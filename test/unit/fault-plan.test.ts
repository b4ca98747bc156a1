import { describe, expect, it } from 'vitest';
import { FaultPlan } from '#infra/local/fault-plan.ts';
import {
  PROVIDER_FAULT_MIXES,
  providerFaultsBody,
} from '#infra/local/provider-emulator/fault-mixes.ts';
import { ProviderEmulator } from '#infra/local/provider-emulator/provider-emulator.ts';
import { QUEUE_FAULT_MIXES, queueFaultsBody } from '#infra/local/queue-emulator/fault-mixes.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';

describe('the fault plan', () => {
  it('uses the script of a route up before its rules', () => {
    const plan = new FaultPlan<'a' | 'b', string>(seededRandom(1));
    plan.rule('*', 1, 'rule').script('a', 'first').script('a', 'pass').script('a', 'last', 2);
    expect(plan.scriptedLeft).toBe(4);
    const faults = Array.from({ length: 5 }, () => plan.next('a'));
    expect(faults).toEqual(['first', undefined, 'last', 'last', 'rule']);
    expect(plan.next('b')).toBe('rule');
    plan.clear();
    expect(plan.next('b')).toBeUndefined();
  });

  it('meets a rule about as often as its probability says', () => {
    const plan = new FaultPlan<'a', string>(seededRandom(1)).rule('a', 0.2, 'fault');
    let met = 0;
    for (let n = 0; n < 10_000; n += 1) if (plan.next('a') !== undefined) met += 1;
    expect(Math.abs(met - 2_000)).toBeLessThan(200);
  });
});

describe('the named mixes', () => {
  it('are plans that the faults call takes', () => {
    for (const mix of Object.values(QUEUE_FAULT_MIXES)) queueFaultsBody.parse(mix);
    const body = providerFaultsBody(new ProviderEmulator({}).routes);
    for (const mix of Object.values(PROVIDER_FAULT_MIXES)) body.parse(mix);
  });
});
