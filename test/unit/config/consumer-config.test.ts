import { describe, expect, test } from 'vitest';
import { loadConsumerConfig } from '#config/consumer-config.ts';
import type { Environment } from '#config/environment.ts';
import { worstDeliveryMs } from '#config/nested-times.ts';
import type { ConfigError } from '#core/errors.ts';

const CHANNEL = {
  provider: 'http',
  url: 'https://push.example/send',
  class: 'dedupes',
  windowSeconds: 86_400,
};
const GOOD: Environment = {
  STAGE: 'dev',
  QUEUE_NAME: 'reminders',
  INFRAI_API_KEY_SECRET: 'env:INFRAI_API_KEY',
  LEDGER_TABLE: 'remind-once-ledger',
  KEY_EPOCHS: JSON.stringify([{ id: 'first', secretRef: 'env:SEND_KEY_SECRET' }]),
  CHANNELS: JSON.stringify({ push: CHANNEL }),
  DEFAULT_CHANNEL: 'push',
};

function faultsOf(change: Environment): readonly string[] {
  try {
    loadConsumerConfig({ ...GOOD, ...change });
    return [];
  } catch (error) {
    const { code, faults } = error as ConfigError;
    expect(code).toBe('CONFIG_INVALID');
    return faults.map((fault) => fault.setting);
  }
}
const channel = (change: object) => JSON.stringify({ push: { ...CHANNEL, ...change } });

describe('a consumer’s environment', () => {
  test('is complete with the few variables that have no default', () => {
    const config = loadConsumerConfig(GOOD);
    expect(config).toMatchObject({
      stage: 'dev',
      infraiBaseUrl: 'https://api.infrai.cc',
      defaultChannel: 'push',
      drain: { concurrency: 32, batchSize: 10, visibilityTimeoutSeconds: 60 },
      delivery: { leaseSeconds: 45, ttlDays: 120, ladderSeconds: [60, 300, 900, 3600, 21_600] },
    });
  });

  test('empty: every missing variable is named at once', () => {
    try {
      loadConsumerConfig({});
      expect.unreachable();
    } catch (error) {
      const { faults, message } = error as ConfigError;
      const settings = new Set(faults.map((fault) => fault.setting.split('.')[0]));
      const missing = ['STAGE', 'QUEUE_NAME', 'INFRAI_API_KEY_SECRET', 'LEDGER_TABLE'];
      for (const name of [...missing, 'KEY_EPOCHS', 'CHANNELS']) {
        expect(settings).toContain(name);
        expect(message).toContain(name);
      }
    }
  });

  test('faults of many kinds are named together', () => {
    const settings = faultsOf({
      STAGE: 'Not A Stage',
      INFRAI_BASE_URL: 'http://api.infrai.cc',
      DRAIN: '{"concurrency":0,"batchSize":11,"typo":1}',
      DELIVERY: '{"ladderSeconds":[]}',
      CHANNELS: channel({ windowSeconds: undefined, url: 'ftp://x' }),
      KEY_EPOCHS: '[{"id":"first","secretRef":"plain-secret"}]',
      INFRAI_DIALECT: 'not json',
    });
    const seen = new Set(settings.map((setting) => setting.split('.')[0]));
    const all = ['STAGE', 'INFRAI_BASE_URL', 'DRAIN', 'DELIVERY', 'CHANNELS', 'KEY_EPOCHS'];
    expect([...seen].sort()).toEqual([...all, 'INFRAI_DIALECT'].sort());
    expect(settings).toContain('DRAIN.concurrency');
    expect(settings).toContain('DRAIN.batchSize');
  });

  test.each<[string, Environment, string]>([
    [
      'a secret where a reference belongs',
      { INFRAI_API_KEY_SECRET: 'ifr_live' },
      'INFRAI_API_KEY_SECRET',
    ],
    ['a default channel that is not configured', { DEFAULT_CHANNEL: 'sms' }, 'DEFAULT_CHANNEL'],
    [
      'a default channel by a prototype’s name',
      { DEFAULT_CHANNEL: 'constructor' },
      'DEFAULT_CHANNEL',
    ],
    ['no channel', { CHANNELS: '{}' }, 'CHANNELS'],
    [
      'two first epochs',
      { KEY_EPOCHS: '[{"id":"a","secretRef":"env:A"},{"id":"b","secretRef":"env:B"}]' },
      'KEY_EPOCHS',
    ],
    [
      'a queryable channel without an address to ask',
      { CHANNELS: channel({ class: 'queryable' }) },
      'CHANNELS.push.queryUrl',
    ],
    ['a misspelt setting', { DELIVERY: '{"leaseSecond":45}' }, 'DELIVERY'],
  ])('%s', (_, change, setting) => {
    expect(faultsOf(change)).toEqual([setting]);
  });

  test('a reference’s value never reaches the message', () => {
    try {
      loadConsumerConfig({ ...GOOD, INFRAI_API_KEY_SECRET: 'ifr_planted_secret' });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).not.toContain('planted');
    }
  });
});

describe('protocol section 2, rule 7: nested times', () => {
  test.each<[string, Environment, string]>([
    [
      'the send, its commit and the skew reach the lease',
      { CHANNELS: channel({ sendTimeoutMs: 35_000 }) },
      'CHANNELS.push',
    ],
    ['the commit time alone does', { CHANNELS: channel({ commitSeconds: 30 }) }, 'CHANNELS.push'],
    ['the skew alone does', { DELIVERY: '{"skewSeconds":30}' }, 'CHANNELS.push'],
    [
      'the lease reaches the visibility timeout',
      { DELIVERY: '{"leaseSeconds":60}' },
      'DELIVERY.leaseSeconds',
    ],
    [
      'the time to live ends before every way back',
      { DELIVERY: '{"ttlDays":39}' },
      'DELIVERY.ttlDays',
    ],
    [
      'the provider’s window ends before a repeat could be sent in it',
      { CHANNELS: channel({ windowSeconds: 80 }) },
      'CHANNELS.push.windowSeconds',
    ],
  ])('%s', (_, change, setting) => {
    expect(faultsOf(change)).toEqual([setting]);
  });

  test('the last good figure of each', () => {
    expect(faultsOf({ CHANNELS: channel({ sendTimeoutMs: 34_900 }) })).toEqual([]);
    expect(faultsOf({ DELIVERY: '{"leaseSeconds":59}' })).toEqual([]);
    expect(faultsOf({ DELIVERY: '{"ttlDays":40}' })).toEqual([]);
    expect(faultsOf({ CHANNELS: channel({ windowSeconds: 81 }) })).toEqual([]);
    const surfacing = { commitSeconds: 28, sendTimeoutMs: 10_000 };
    expect(faultsOf({ CHANNELS: channel({ ...surfacing, windowSeconds: 83 }) })).toEqual([
      'CHANNELS.push.windowSeconds',
    ]);
    expect(faultsOf({ CHANNELS: channel({ ...surfacing, windowSeconds: 84 }) })).toEqual([]);
    expect(faultsOf({ CHANNELS: channel({ class: 'blind', windowSeconds: 80 }) })).toEqual([]);
  });

  test('field report 22: time to live below the queue’s horizon is refused', () => {
    expect(faultsOf({ DELIVERY: '{"ttlDays":30}' })).toEqual(['DELIVERY.ttlDays']);
    expect(faultsOf({ DELIVERY: '{"useBySeconds":7776000,"ttlDays":120}' })).toEqual([
      'DELIVERY.ttlDays',
    ]);
  });

  test('a run must have room for a pull and for the worst delivery, or it never starts one', () => {
    const { channels, drain } = loadConsumerConfig(GOOD);
    const least = (worstDeliveryMs(channels, drain) + drain.queueCallMs) / 1000;
    expect(faultsOf({ DRAIN: JSON.stringify({ runBudgetSeconds: least }) })).toEqual([]);
    expect(faultsOf({ DRAIN: JSON.stringify({ runBudgetSeconds: least - 0.001 }) })).toEqual([
      'DRAIN.runBudgetSeconds',
    ]);
  });
});
