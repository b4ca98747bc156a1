import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf } from '#test/support/synthesise.ts';

export type Statement = {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
};

/** Every allowance of the role policies in a template: policy id, action, resource. */
export function allowances(
  template: Template,
): readonly { readonly policy: string; readonly action: string; readonly resource: unknown }[] {
  return Object.entries(resourcesOf(template, 'AWS::IAM::Policy')).flatMap(
    ([policy, { Properties }]) => {
      const document = Properties['PolicyDocument'] as { readonly Statement: Statement[] };
      return document.Statement.flatMap(({ Action, Resource }) =>
        listed(Action).flatMap((action) =>
          listed(Resource).map((resource) => ({ policy, action: String(action), resource })),
        ),
      );
    },
  );
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
