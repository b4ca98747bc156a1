import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import { type StageSettings, stageSettings } from '#infra/stages.ts';
import { production, synthesise } from '#test/support/synthesise.ts';

/** The faults that synthesis names; a wrong setting is given as what a hurried hand would type. */
function faultsOf(changes: object): readonly ConfigFault[] {
  try {
    synthesise(production(changes as Partial<StageSettings>));
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const PUSH = { provider: 'http', url: 'https://push.example.com/send' };

describe('settings at synthesis', () => {
  it.each<[string, object, string, RegExp]>([
    [
      'a provider nobody knows',
      { channels: { push: { provider: 'fax' } } },
      'channels.push.provider',
      /allowed/,
    ],
    ['a channel without provider', { channels: { push: {} } }, 'channels.push.provider', /allowed/],
    ['no channel at all', { channels: {} }, 'channels', /at least one/],
    [
      'class dedupes without its window',
      { channels: { push: { ...PUSH, class: 'dedupes' } } },
      'channels.push.windowSeconds',
      /needs the time it remembers/,
    ],
    ['a default channel that is not there', { defaultChannel: 'sms' }, 'defaultChannel', /push/],
    [
      'a plain http provider',
      { channels: { push: { ...PUSH, url: 'http://a.example' } } },
      'channels.push.url',
      /https/,
    ],
    [
      'a password in a URL',
      { channels: { push: { ...PUSH, url: 'https://me:pw@a.example' } } },
      'channels.push.url',
      /secret of the channel/,
    ],
    [
      'a TTL that a message can outlive',
      { delivery: { ttlDays: 39 } },
      'delivery.ttlDays',
      /must exceed/,
    ],
    [
      'a lease above the visibility timeout',
      { delivery: { leaseSeconds: 61 } },
      'delivery.leaseSeconds',
      /below/,
    ],
    [
      'a send that outlasts its lease',
      { channels: { push: { ...PUSH, sendTimeoutMs: 60_000 } } },
      'channels.push',
      /leaseSeconds/,
    ],
    [
      'a run budget above the limit',
      { drain: { runBudgetSeconds: 899 } },
      'drain.runBudgetSeconds',
      /840/,
    ],
    [
      'a budget that pushes the timeout to 900 s',
      { drain: { runBudgetSeconds: 835 } },
      'functions.consumer.timeoutSeconds',
      /below 900/,
    ],
    [
      'a timeout of 900 s',
      { functions: { consumer: { timeoutSeconds: 900 } } },
      'functions.consumer.timeoutSeconds',
      /below 900/,
    ],
    [
      'a timeout below budget and worst delivery',
      { functions: { consumer: { timeoutSeconds: 250 } } },
      'functions.consumer.timeoutSeconds',
      /cut off in the middle of a send/,
    ],
    [
      'a redrive timeout of 900 s',
      { functions: { redrive: { timeoutSeconds: 900 } } },
      'functions.redrive.timeoutSeconds',
      /below 900/,
    ],
    [
      'a redrive lease shorter than its run',
      { redrive: { runLeaseSeconds: 60 } },
      'redrive.runLeaseSeconds',
      /second run could start/,
    ],
    ['half a minute', { every: { consumer: 0.5 } }, 'every.consumer', /whole minutes/],
    ['a schedule in words', { every: { stats: 'never' } }, 'every.stats', /'off'/],
    [
      'memory that Lambda has not',
      { functions: { stats: { memoryMb: 64 } } },
      'functions.stats.memoryMb',
      /128/,
    ],
    ['no consumer', { consumerConcurrency: 0 }, 'consumerConcurrency', /from 1/],
    ['a retention that CloudWatch has not', { logRetentionDays: 91 }, 'logRetentionDays', /90/],
    ['a bad address', { alarms: { emails: ['oncall'] } }, 'alarms.emails.0', /e-mail/],
    ['a threshold in words', { stats: { balanceUsd: 'five' } }, 'stats.balanceUsd', /US dollars/],
    ['a pipeline name that is no name', { pipeline: 'My Pipeline' }, 'pipeline', /pipeline name/],
    ['a queue name that is no name', { queueName: 'a b' }, 'queueName', /queue name/],
    [
      'two epochs without a beginning',
      { keyEpochs: [{ id: 'a' }, { id: 'b' }] },
      'keyEpochs',
      /exactly one epoch/,
    ],
    [
      'an epoch that begins nowhere',
      { keyEpochs: [{ id: 'a' }, { id: 'b', from: 'soon' }] },
      'keyEpochs.1.from',
      /RFC 3339/,
    ],
  ])('refuses %s', (_what, changes, setting, problem) => {
    expect(faultsOf(changes)).toContainEqual({ setting, problem: expect.stringMatching(problem) });
  });

  it.each([
    ['a value instead of a source', 'sk_live_51abc'],
    ['a value as a name', { name: 'ifr_51abc' }],
    [
      'an ARN without its six letters',
      { arn: 'arn:aws:secretsmanager:eu-west-1:111111111111:secret:x' },
    ],
  ])('refuses %s and does not repeat it', (_what, secret) => {
    const faults = faultsOf({ channels: { push: { ...PUSH, secretRef: secret } } });
    expect(faults.map((fault) => fault.setting)).toContain('channels.push.secretRef');
    expect(JSON.stringify(faults)).not.toContain('51abc');
  });

  it('names every fault at once, each with the value seen and the value allowed', () => {
    const faults = faultsOf({
      queueName: '',
      channels: { push: PUSH, Mail: PUSH },
      delivery: { ttlDays: 1 },
      every: { redrive: -1 },
      logRetentionDays: 2,
      adoptTable: 'retained',
    });
    expect(faults.map((fault) => fault.setting)).toEqual(
      expect.arrayContaining([
        'queueName',
        'channels.Mail',
        'every.redrive',
        'logRetentionDays',
        'keyEpochs.first.secretRef',
      ]),
    );
  });

  it('compares times even when something else is wrong', () => {
    const faults = faultsOf({ queueName: '', delivery: { ttlDays: 1 } });
    expect(faults.map((fault) => fault.setting)).toEqual(['queueName', 'delivery.ttlDays']);
  });

  it('repeats no fault that several functions would find', () => {
    const faults = faultsOf({ queueName: 'a b' });
    expect(faults).toHaveLength(1);
  });

  it.each([['staging'], [undefined], ['toString'], [1]])('refuses the stage %s', (name) => {
    expect(() => stageSettings(name)).toThrow(/allowed: dev, prod; pass -c stage=/);
  });

  it.each(['dev', 'prod'])('accepts the committed stage %s', (name) => {
    expect(() => synthesise(stageSettings(name))).not.toThrow();
  });
});
