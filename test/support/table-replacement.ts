import type { Resource } from '#test/support/synthesise.ts';

type TableResource = Pick<Resource, 'Type' | 'Properties'>;

/** Properties of a table that CloudFormation cannot change in place: a change drops the rows. */
const REPLACING = ['KeySchema', 'TableName', 'LocalSecondaryIndexes'] as const;

/**
 * Why an update from one template's table to the other's would replace it; empty when it would not.
 * Source: "Update requires: Replacement" in the reference of AWS::DynamoDB::GlobalTable.
 */
export function replacingChanges(
  before: Readonly<Record<string, TableResource>>,
  after: Readonly<Record<string, TableResource>>,
): readonly string[] {
  return Object.entries(before).flatMap(([logicalId, table]) => {
    const next = after[logicalId];
    if (next === undefined) return [`${logicalId} is gone: its logical id changed`];
    if (next.Type !== table.Type) return [`${logicalId} becomes ${next.Type}`];
    const { AttributeDefinitions: oldTypes } = table.Properties;
    const { AttributeDefinitions: newTypes } = next.Properties;
    const keyType = keyTypes(table, oldTypes) !== keyTypes(next, newTypes) ? ['key type'] : [];
    return [
      ...REPLACING.filter(
        (name) => JSON.stringify(table.Properties[name]) !== JSON.stringify(next.Properties[name]),
      ),
      ...keyType,
    ].map((name) => `${logicalId}: ${name} changed`);
  });
}

function keyTypes(table: TableResource, definitions: unknown): string {
  const keys = table.Properties['KeySchema'] as readonly { readonly AttributeName: string }[];
  const names = new Set(keys.map(({ AttributeName }) => AttributeName));
  const typed = definitions as readonly { AttributeName: string; AttributeType: string }[];
  return JSON.stringify(typed.filter(({ AttributeName }) => names.has(AttributeName)));
}
