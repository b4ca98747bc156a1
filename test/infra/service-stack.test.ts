import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { channelsSchema } from '#config/channels.ts';
import { drainSchema } from '#config/drain-config.ts';
import { CONSUMER_ENV, REDRIVE_ENV, STATS_ENV } from '#config/environment.ts';
import { worstDeliveryMs } from '#config/nested-times.ts';
import { OUTPUT } from '#config/outputs.ts';
import { allowances } from '#test/support/policy-statements.ts';
import { production, resourcesOf, synthesise } from '#test/support/synthesise.ts';

const { service } = synthesise(production());
const FUNCTION = 'AWS::Lambda::Function';
const INVOKE_CONFIG = 'AWS::Lambda::EventInvokeConfig';
const SCHEDULE = 'AWS::Scheduler::Schedule';

const functions = resourcesOf(service, FUNCTION);
const channels = channelsSchema.parse({ push: { provider: 'http', url: 'https://a.example' } });

function functionOf(role: 'Consumer' | 'Redrive' | 'Stats') {
  const found = Object.entries(functions).find(([id]) => id.startsWith(`Pipeline${role}`));
  if (found === undefined) throw new Error(`no function of ${role}`);
  return { id: found[0], properties: found[1].Properties };
}

function variablesOf(role: 'Consumer' | 'Redrive' | 'Stats'): Readonly<Record<string, unknown>> {
  return (functionOf(role).properties['Environment'] as { Variables: Record<string, unknown> })
    .Variables;
}

describe('the functions', () => {
  it('run on Node 24, ARM, with the timeout that their settings need', () => {
    expect(Object.keys(functions)).toHaveLength(3);
    for (const { Properties } of Object.values(functions)) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
      expect(Properties['Timeout']).toBeLessThan(900);
    }
    const drain = drainSchema.parse({});
    const worstSeconds = Math.ceil(worstDeliveryMs(channels, drain) / 1000);
    const least = drain.runBudgetSeconds + worstSeconds;
    expect(functionOf('Consumer').properties['Timeout']).toBeGreaterThan(least);
  });

  it('are given every variable that their schemas name', () => {
    expect(Object.keys(variablesOf('Consumer'))).toEqual(expect.arrayContaining([...CONSUMER_ENV]));
    expect(Object.keys(variablesOf('Redrive'))).toEqual(expect.arrayContaining([...REDRIVE_ENV]));
    expect(Object.keys(variablesOf('Stats'))).toEqual(expect.arrayContaining([...STATS_ENV]));
  });

  it('get secrets by ARN only: no variable resolves a value or holds a plain one', () => {
    for (const role of ['Consumer', 'Redrive', 'Stats'] as const) {
      const text = JSON.stringify(variablesOf(role));
      expect(text).not.toContain('resolve:secretsmanager');
      expect(text).not.toContain('SecretString');
      expect(variablesOf(role)['INFRAI_API_KEY_SECRET']).toMatchObject({
        'Fn::GetStackOutput': { OutputName: expect.stringMatching(/RefLedgerInfraiApiKey/) },
      });
    }
    expect(JSON.stringify(service.toJSON())).not.toContain('{{resolve');
  });

  it('field report 84: at most one redrive and one stats run at a time, and bounded consumers', () => {
    expect(functionOf('Redrive').properties['ReservedConcurrentExecutions']).toBe(1);
    expect(functionOf('Stats').properties['ReservedConcurrentExecutions']).toBe(1);
    expect(functionOf('Consumer').properties['ReservedConcurrentExecutions']).toBe(5);
  });

  it('reserve as many consumers as the default budget lets overlap at a tick a minute', () => {
    const drain = drainSchema.parse({});
    const lastPiece = (drain.queueCallMs + worstDeliveryMs(channels, drain)) / 1000;
    const pullsForSeconds = drain.runBudgetSeconds - lastPiece;
    expect(Math.ceil(pullsForSeconds / 60)).toBe(5);
  });

  it('own their log groups, with a retention', () => {
    const groups = resourcesOf(service, 'AWS::Logs::LogGroup');
    expect(Object.keys(groups)).toHaveLength(3);
    for (const { Properties } of Object.values(groups)) {
      expect(Properties['RetentionInDays']).toBe(90);
    }
    for (const { Properties } of Object.values(functions)) {
      expect(Properties['LoggingConfig']).toMatchObject({ LogGroup: { Ref: expect.anything() } });
    }
  });
});

describe('invocation', () => {
  it('field report 85: neither the schedule nor Lambda repeats a failed tick', () => {
    const configs = Object.values(resourcesOf(service, INVOKE_CONFIG));
    expect(configs).toHaveLength(3);
    for (const { Properties } of configs) expect(Properties['MaximumRetryAttempts']).toBe(0);
    const schedules = Object.values(resourcesOf(service, SCHEDULE));
    expect(schedules).toHaveLength(3);
    for (const { Properties } of schedules) {
      expect(Properties['Target']).toMatchObject({ RetryPolicy: { MaximumRetryAttempts: 0 } });
    }
  });

  it('field report 85: no tick is kept for longer than the next one is due', () => {
    const periods: Record<string, number> = { Consumer: 60, Redrive: 900, Stats: 60 };
    for (const [role, seconds] of Object.entries(periods)) {
      const { id } = functionOf(role as 'Consumer');
      const config = Object.values(resourcesOf(service, INVOKE_CONFIG)).find(
        ({ Properties }) => JSON.stringify(Properties['FunctionName']) === `{"Ref":"${id}"}`,
      );
      expect(config?.Properties['MaximumEventAgeInSeconds']).toBeLessThanOrEqual(seconds);
    }
    for (const { Properties } of Object.values(resourcesOf(service, SCHEDULE))) {
      const { RetryPolicy } = Properties['Target'] as {
        RetryPolicy: { MaximumEventAgeInSeconds: number };
      };
      expect(RetryPolicy.MaximumEventAgeInSeconds).toBeLessThanOrEqual(300);
    }
  });

  it('ticks the consumer and the stats each minute and the redrive each quarter of an hour', () => {
    const rates = Object.values(resourcesOf(service, SCHEDULE)).map(({ Properties }) => [
      Properties['ScheduleExpression'],
      Properties['State'],
    ]);
    expect(rates.sort()).toEqual([
      ['rate(1 minute)', 'ENABLED'],
      ['rate(1 minute)', 'ENABLED'],
      ['rate(15 minutes)', 'ENABLED'],
    ]);
  });

  it('keeps a schedule that is off, disabled, and leaves out the alarms on its silence', () => {
    const off = synthesise(production({ every: { consumer: 'off', stats: 'off' } })).service;
    const states = Object.values(resourcesOf(off, SCHEDULE)).map((one) => one.Properties['State']);
    expect(states.sort()).toEqual(['DISABLED', 'DISABLED', 'ENABLED']);
    const alarms = Object.keys(resourcesOf(off, 'AWS::CloudWatch::Alarm')).join();
    expect(alarms).not.toMatch(/ConsumerNotRunning|StatsSilent|ConsumerErrors/);
    expect(alarms).toMatch(/RedriveErrors/);
  });

  it('loses no failed redrive or stats run, and fills no queue with dropped consumer ticks', () => {
    const destinations = Object.entries(resourcesOf(service, INVOKE_CONFIG)).map(
      ([id, { Properties }]) => [
        /Consumer|Redrive|Stats/.exec(id)?.[0],
        'DestinationConfig' in Properties,
      ],
    );
    expect(Object.fromEntries(destinations)).toEqual({
      Consumer: false,
      Redrive: true,
      Stats: true,
    });
    for (const { Properties } of Object.values(resourcesOf(service, SCHEDULE))) {
      expect(Properties['Target']).toHaveProperty('DeadLetterConfig');
    }
  });
});

describe('permissions', () => {
  it('allow no wildcard, no scan, no delete and no change of a table', () => {
    for (const { policy, action, resource } of allowances(service)) {
      expect(action, policy).not.toContain('*');
      expect(JSON.stringify(resource), `${policy} ${action}`).not.toContain('*');
      expect(action).not.toMatch(/Scan|Delete|Batch|UpdateTable/);
    }
  });

  it('are each role its own, by action and resource', () => {
    const byRole = new Map<string, Set<string>>();
    for (const { policy, action } of allowances(service)) {
      const role = /^Pipeline(\w+?)Role/.exec(policy)?.[1] ?? policy;
      byRole.set(role, (byRole.get(role) ?? new Set()).add(action));
    }
    const logs = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    const ledger = ['dynamodb:GetItem', 'dynamodb:PutItem', 'secretsmanager:GetSecretValue'];
    const lost = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'];
    const tick = ['lambda:InvokeFunction', 'sqs:SendMessage'];
    const sorted = (...actions: string[]) => [...actions].sort();
    expect(Object.fromEntries([...byRole].map(([role, set]) => [role, [...set].sort()]))).toEqual({
      Consumer: sorted(...logs, ...ledger),
      Redrive: sorted(...logs, ...ledger, ...lost),
      Stats: sorted(...logs, ...ledger, ...lost, 'dynamodb:Query'),
      ConsumerSchedule: tick,
      RedriveSchedule: tick,
      StatsSchedule: tick,
    });
  });

  it('let the stats function read no channel secret and no send key', () => {
    const secrets = allowances(service)
      .filter(({ policy, action }) => policy.startsWith('PipelineStats') && /Secret/.test(action))
      .map(({ resource }) => JSON.stringify(resource));
    expect(secrets).toHaveLength(1);
    expect(secrets[0]).toContain('InfraiApiKey');
  });

  it('let the query go to the index of unresolved rows only', () => {
    const queries = allowances(service).filter(({ action }) => action === 'dynamodb:Query');
    expect(queries).toHaveLength(1);
    expect(JSON.stringify(queries[0]?.resource)).toContain('/index/unresolved');
  });

  it('let alarms publish to a topic that takes nothing in plain text', () => {
    service.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });
});

describe('outputs', () => {
  it('hold everything that an operator needs', () => {
    const outputs = service.findOutputs('*');
    expect(Object.keys(outputs).sort()).toEqual(Object.values(OUTPUT).sort());
    expect(outputs[OUTPUT.marker]?.['Value']).toBe('remind-once/1 prod remind-once');
  });

  it('subscribe each e-mail address of the settings', () => {
    const mailed = synthesise(production({ alarms: { emails: ['oncall@example.com'] } })).service;
    mailed.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'oncall@example.com',
    });
  });
});
