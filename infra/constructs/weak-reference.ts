import { CrossStackReferences, ReferenceStrength, type Resource } from 'aws-cdk-lib';

/**
 * Lets other stacks refer to a resource of the ledger without holding its stack up. A strong
 * reference is an export, and CloudFormation keeps an export for as long as anybody imports it:
 * taking a channel out, or adopting a restored table after a loss, would fail until the service
 * had been deployed by itself. What must not go is kept by retention and termination protection.
 */
export function referWeakly(resource: Resource): void {
  CrossStackReferences.of(resource).produce(ReferenceStrength.WEAK);
}
