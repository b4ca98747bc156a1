import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { install } from '#infra/stacks/installation.ts';
import {
  production,
  type Resource,
  resourcesOf,
  synthesise,
  testApp,
} from '#test/support/synthesise.ts';
import { replacingChanges } from '#test/support/table-replacement.ts';

const { ledger, service } = synthesise(production());
const TABLE = 'AWS::DynamoDB::GlobalTable';
const SECRET = 'AWS::SecretsManager::Secret';

/**
 * As deployed since the first release. CloudFormation knows resources by these ids: another id is
 * an empty table and a new send key, and with either every reminder is sent again.
 */
const PINNED = {
  table: 'LedgerTable9343E4AA',
  firstKeyEpoch: 'LedgerKeyEpochfirst37A09A63',
  apiKey: 'LedgerInfraiApiKey84083A2D',
  pushChannel: 'LedgerChannelpushB1E0DAC5',
};

const DEPLOYED_TABLE = {
  [PINNED.table]: {
    Type: TABLE,
    Properties: {
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    },
  },
};

describe('the ledger stack', () => {
  it('holds one table, on demand, with the sparse index and the TTL of the adapter', () => {
    ledger.resourceCountIs(TABLE, 1);
    ledger.hasResourceProperties(TABLE, {
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'unresolved',
          KeySchema: [
            { AttributeName: 'unresolvedShard', KeyType: 'HASH' },
            { AttributeName: 'unresolvedSince', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
  });

  it('field report 87: gives nothing a fixed name, so that a retained table blocks no deployment', () => {
    for (const template of [ledger, service]) {
      for (const [id, { Properties }] of Object.entries(allResources(template))) {
        for (const name of PHYSICAL_NAMES)
          expect(Properties, `${id} ${name}`).not.toHaveProperty(name);
      }
    }
  });

  it('field report 87: adopts a retained table by name instead of asking to delete it', () => {
    const settings = production({
      adoptTable: 'remind-once-prod-ledger-LedgerTable9343E4AA-1ABC',
      keyEpochs: [{ id: 'first', secretRef: { name: 'retained-send-key' } }],
    });
    const adopted = synthesise(settings);
    adopted.ledger.resourceCountIs(TABLE, 0);
    adopted.service.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LEDGER_TABLE: settings.adoptTable }) },
    });
  });

  it('field report 87: refuses to adopt a table under a new send key', () => {
    const adopt = () => synthesise(production({ adoptTable: 'some-table' }));
    expect(adopt).toThrow(/keyEpochs\.first\.secretRef.*is sent again/);
  });

  it('field report 88: keeps the table on delete and on replace, protected and backed up', () => {
    ledger.hasResource(TABLE, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    ledger.hasResourceProperties(TABLE, {
      Replicas: [
        {
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      ],
    });
  });

  it('field report 88: no change since the first release replaces the table', () => {
    expect(replacingChanges(DEPLOYED_TABLE, resourcesOf(ledger, TABLE))).toEqual([]);
  });

  it('field report 88: a changed key, key type, name or logical id is seen as a replacement', () => {
    const table = resourcesOf(ledger, TABLE)[PINNED.table] as Resource;
    const changed = (properties: object) => ({
      [PINNED.table]: { ...table, Properties: { ...table.Properties, ...properties } },
    });
    const seen = (after: Readonly<Record<string, Resource>>) =>
      replacingChanges(DEPLOYED_TABLE, after);
    expect(seen(changed({ KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] }))).not.toEqual(
      [],
    );
    expect(
      seen(changed({ AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] })),
    ).not.toEqual([]);
    expect(seen(changed({ TableName: 'ledger' }))).not.toEqual([]);
    expect(seen({ Moved: table })).not.toEqual([]);
    expect(seen(changed({ BillingMode: 'PROVISIONED' }))).toEqual([]);
  });

  it('field report 90: keeps every resource by the words of the template, not of the props', () => {
    for (const [id, resource] of Object.entries(allResources(ledger))) {
      expect(resource.DeletionPolicy, id).toBe('Retain');
      expect(resource.UpdateReplacePolicy, id).toBe('Retain');
    }
  });

  it('pins the logical ids of the table and of every secret', () => {
    expect(Object.keys(allResources(ledger)).sort()).toEqual(Object.values(PINNED).sort());
  });

  it('generates the send-key secret, letters and digits only, and leaves the others empty', () => {
    const secrets = resourcesOf(ledger, SECRET);
    expect(secrets[PINNED.firstKeyEpoch]?.Properties['GenerateSecretString']).toEqual({
      PasswordLength: 64,
      ExcludePunctuation: true,
    });
    for (const id of [PINNED.apiKey, PINNED.pushChannel]) {
      expect(secrets[id]?.Properties).not.toHaveProperty('GenerateSecretString');
      expect(secrets[id]?.Properties).not.toHaveProperty('SecretString');
    }
  });

  it('adds a secret for a new key epoch and leaves the old one as it was', () => {
    const rotated = synthesise(
      production({ keyEpochs: [{ id: 'first' }, { id: '2027', from: '2027-01-01T00:00:00Z' }] }),
    );
    const before = resourcesOf(ledger, SECRET);
    const after = resourcesOf(rotated.ledger, SECRET);
    expect(Object.keys(after)).toHaveLength(Object.keys(before).length + 1);
    expect(after[PINNED.firstKeyEpoch]).toEqual(before[PINNED.firstKeyEpoch]);
  });

  it('exports nothing that a service could hold it up by', () => {
    const outputs = Object.values(ledger.findOutputs('*'));
    expect(outputs).toHaveLength(5);
    for (const output of outputs) expect(output).not.toHaveProperty('Export');
  });

  it('is protected against termination as a whole', () => {
    expect(install(testApp(), production()).ledger.terminationProtection).toBe(true);
  });

  it('drops every protection only for a stage that says so', () => {
    const disposable = production({ disposableLedger: true });
    const stack = install(testApp(), disposable).ledger;
    expect(stack.terminationProtection).toBe(false);
    Template.fromStack(stack).hasResource(TABLE, { DeletionPolicy: 'Delete' });
  });
});

const PHYSICAL_NAMES = [
  'TableName',
  'Name',
  'FunctionName',
  'RoleName',
  'QueueName',
  'TopicName',
  'AlarmName',
  'DashboardName',
  'LogGroupName',
];

function allResources(template: Template): Readonly<Record<string, Resource>> {
  const resources = template.toJSON()['Resources'] as Record<string, Resource>;
  // Here the name is the reference to the function that the configuration belongs to.
  const named = (resource: Resource) => resource.Type !== 'AWS::Lambda::EventInvokeConfig';
  return Object.fromEntries(Object.entries(resources).filter(([, resource]) => named(resource)));
}
