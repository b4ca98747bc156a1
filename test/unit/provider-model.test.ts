import { describe, expect, it } from 'vitest';
import type { ProviderClass } from '#core/send-result.ts';
import { EffectLedger } from '#infra/local/provider-emulator/effect-ledger.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import { ProviderModel } from '#infra/local/provider-emulator/provider-model.ts';
import { replyTo } from '#infra/local/provider-emulator/provider-reply.ts';

const T0 = 1_000_000;

function aModel(providerClass: ProviderClass, more: object = {}): ProviderModel {
  return new ProviderModel({ providerClass, ...more });
}

function reply(model: ProviderModel, behaviour?: ProviderBehaviour, now = T0) {
  return replyTo(model, { key: 'k', idempotencyKey: 'k', bodyHash: 'b' }, behaviour, now);
}

describe('the provider model without sockets', () => {
  it.each([
    ['dedupes', 1],
    ['queryable', 2],
    ['blind', 2],
  ] as const)('%s: two calls with one key have %i effects', (providerClass, effects) => {
    const model = aModel(providerClass);
    reply(model);
    reply(model);
    expect(model.effects.of('k')).toBe(effects);
  });

  it('decides the reply and the effect of every behaviour', () => {
    const cases: [ProviderBehaviour, string, number][] = [
      [{ kind: 'accept' }, 'accepted', 1],
      [{ kind: 'defer' }, 'deferred', 0],
      [{ kind: 'reject' }, 'rejected', 0],
      [{ kind: 'auth-failure' }, 'auth-failed', 0],
      [{ kind: 'hang', accepted: false }, 'hang', 0],
      [{ kind: 'hang', accepted: true }, 'hang', 1],
      [{ kind: 'reset', accepted: false }, 'reset', 0],
      [{ kind: 'reset', accepted: true }, 'reset', 1],
      [{ kind: 'cut' }, 'cut', 1],
      [{ kind: 'no-receipt' }, 'no-receipt', 1],
      [{ kind: 'no-receipt', accepted: false }, 'no-receipt', 0],
      [{ kind: 'server-error', accepted: true }, 'server-error', 1],
      [{ kind: 'server-error', accepted: false }, 'server-error', 0],
      [{ kind: 'slow-answer', latencyMs: 5 }, 'accepted', 1],
      [{ kind: 'conflict' }, 'conflict', 0],
      [{ kind: 'in-progress' }, 'in-progress', 0],
      [{ kind: 'extra-receipt' }, 'accepted', 1],
    ];
    const seen = cases.map(([behaviour]) => {
      const model = aModel('dedupes');
      const { reply: got } = reply(model, behaviour);
      return [behaviour, got.kind, model.effects.of('k')];
    });
    expect(seen).toEqual(cases);
  });

  it('keeps an uncommitted message out of sight until its instant', () => {
    const model = aModel('queryable');
    const timed = reply(model, { kind: 'slow-commit', commitMs: 8_000 });
    expect(timed.notBefore).toBe(T0 + 8_000);
    expect(model.find('k', T0 + 7_999)).toEqual({ kind: 'absent' });
    expect(model.find('k', T0 + 8_000)).toMatchObject({ kind: 'found' });
    expect(model.effects.of('k')).toBe(1);
  });

  it('counts the window from the request, not from the commit', () => {
    const model = aModel('dedupes', { windowMs: 10_000 });
    reply(model, { kind: 'slow-commit', commitMs: 8_000 });
    expect(reply(model, undefined, T0 + 9_999).reply).toMatchObject({ replayed: true });
    expect(reply(model, undefined, T0 + 10_000).reply).toMatchObject({ replayed: false });
  });

  it('finds by receipt in every class', () => {
    const model = aModel('blind');
    const { reply: got } = reply(model);
    const receipt = got.kind === 'accepted' ? got.receipt : '';
    expect(model.findByReceipt(receipt, T0)).toMatchObject({ record: { key: 'k' } });
    expect(model.findByReceipt('rcpt_other', T0)).toEqual({ kind: 'absent' });
  });

  it('shares effects between models, and counts without keeping records', () => {
    const effects = new EffectLedger(false);
    reply(aModel('blind', { effects }));
    reply(aModel('dedupes', { effects }));
    expect(effects.of('k')).toBe(2);
    expect(effects.records()).toEqual([]);
  });
});
