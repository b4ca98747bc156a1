"""What the deployment tool asks of CloudFormation and moto does not answer as AWS does."""

from urllib.parse import urlparse

import moto.cloudformation.parsing as parsing
import moto.cloudformation.responses as responses
from moto.cloudformation.exceptions import ValidationError
from moto.cloudformation.models import CloudFormationBackend, cloudformation_backends
from moto.core.responses import ActionResult
from moto.s3.models import s3_backends

_clean_json = parsing.clean_json
_from_s3_url = responses.get_stack_from_s3_url
_delete_resource = parsing.ResourceMap._delete_resource
_delete_stack = CloudFormationBackend.delete_stack
_update_stack = CloudFormationBackend.update_stack


def template_from_url(template_url: str, account_id: str, partition: str) -> str:
    """The tool names a template by the endpoint that it was given: this machine, bucket in the path."""
    url = urlparse(template_url)
    if url.hostname != "127.0.0.1":
        return _from_s3_url(template_url, account_id, partition)
    bucket, key = url.path.lstrip("/").split("/", 1)
    return s3_backends[account_id][partition].get_object(bucket, key).value.decode()


def update_termination_protection(self: responses.CloudFormationResponse) -> ActionResult:
    stack = self.cloudformation_backend.get_stack(self._get_param("StackName"))
    wanted = self._get_param("EnableTerminationProtection")
    stack.enable_termination_protection = str(wanted).lower() == "true"
    return ActionResult({"StackId": stack.stack_id})


def delete_stack(self: CloudFormationBackend, name_or_stack_id: str) -> None:
    stack = next(
        (one for one in self.stacks.values() if name_or_stack_id in (one.name, one.stack_id)), None
    )
    if stack is not None and stack.enable_termination_protection:
        raise ValidationError(
            stack.name,
            f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled",
        )
    _delete_stack(self, name_or_stack_id)


def update_stack(self: CloudFormationBackend, *arguments, **named):
    """An update registers what it exports, so that a later stack can import it."""
    stack = _update_stack(self, *arguments, **named)
    for export in stack.exports:
        self.exports[export.name] = export
    return stack


def resolve_update_parameters(self: CloudFormationBackend, instance, incoming_params):
    """A previous value that was never given is the template's default."""
    declared = instance.template_dict.get("Parameters", {})
    previous = {name: one.get("Default") for name, one in declared.items()}
    previous.update(instance.parameters)
    return {
        one["ParameterKey"]: one.get("ParameterValue", previous.get(one["ParameterKey"]))
        for one in incoming_params
    }


def clean_json(resource_json, resources_map):
    """Fn::GetStackOutput, the weak reference to another stack, which moto does not know."""
    if not (isinstance(resource_json, dict) and "Fn::GetStackOutput" in resource_json):
        return _clean_json(resource_json, resources_map)
    wanted = _clean_json(resource_json["Fn::GetStackOutput"], resources_map)
    backend = cloudformation_backends[resources_map._account_id][wanted["Region"]]
    for output in backend.get_stack(wanted["StackName"]).outputs or []:
        if output["OutputKey"] == wanted["OutputName"]:
            return output["OutputValue"]
    raise ValidationError(message=f"no output {wanted['OutputName']} in {wanted['StackName']}")


def delete_resource(self: parsing.ResourceMap, parsed_resource, resource_json) -> None:
    """A retained resource stays when an update takes it out, too, not only with its stack."""
    if resource_json.get("DeletionPolicy") != "Retain":
        _delete_resource(self, parsed_resource, resource_json)


def close_gaps() -> None:
    parsing.ResourceMap._delete_resource = delete_resource
    parsing.clean_json = clean_json
    CloudFormationBackend._resolve_update_parameters = resolve_update_parameters
    responses.get_stack_from_s3_url = template_from_url
    responses.CloudFormationResponse.update_termination_protection = update_termination_protection
    CloudFormationBackend.delete_stack = delete_stack
    CloudFormationBackend.update_stack = update_stack
