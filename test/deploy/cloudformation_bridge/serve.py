"""moto's server with the resource types and answers that this deployment needs.

moto plays every service of the installation, but its CloudFormation knows only some of their
resource types and skips the others without an error. The modules beside this file hand those
types' properties to moto's own services, as they are.

Usage, from the folder above: python -m cloudformation_bridge.serve <port>
"""

import sys

from cloudformation_bridge import ledger_resources, service_resources  # noqa: F401  (registers them)
from cloudformation_bridge.cloudformation_gaps import close_gaps
from moto.server import main

close_gaps()
main(["-H", "127.0.0.1", "-p", sys.argv[1]])
