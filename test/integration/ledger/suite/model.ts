import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LEDGER_STATES, type LedgerRecord } from '#core/ledger-record.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import type { Ledger } from '#ports';
import { aClaimedRow, aClaimToken, finished } from '#test/support/ledger-rows.ts';
import { type OpenLedger, openLedger } from './open-ledger.ts';

const WORKERS = 3;
const KEYS = 2;

/** What one worker does next, with what it knows: perhaps stale, perhaps wrong. */
type Step = {
  readonly worker: number;
  readonly key: number;
  readonly act: 'claim' | 'claim-again' | 'replace' | 'take-over' | 'read';
  readonly state: LedgerRecord['state'];
  readonly answer: 'arrives' | 'is-lost';
};

const step: fc.Arbitrary<Step> = fc.record({
  worker: fc.nat(WORKERS - 1),
  key: fc.nat(KEYS - 1),
  act: fc.constantFrom('claim', 'claim-again', 'replace', 'take-over', 'read'),
  state: fc.constantFrom(...LEDGER_STATES),
  answer: fc.constantFrom('arrives', 'arrives', 'is-lost'),
});

/** The ledger as it ought to be: one row a key, replaced only by who names its token and state. */
class Model {
  readonly rows = new Map<number, LedgerRecord>();

  claim(key: number, row: LedgerRecord): Awaited<ReturnType<Ledger['claim']>> {
    const there = this.rows.get(key);
    if (there === undefined) this.rows.set(key, row);
    else if (there.claimToken !== row.claimToken || there.state !== row.state) {
      return { kind: 'exists', row: there };
    }
    return { kind: 'claimed' };
  }

  replace(
    key: number,
    row: LedgerRecord,
    seen: LedgerRecord,
  ): Awaited<ReturnType<Ledger['replace']>> {
    const there = this.rows.get(key);
    if (there?.claimToken === seen.claimToken && there.state === seen.state) {
      this.rows.set(key, row);
      return { kind: 'replaced' };
    }
    const ours = there?.claimToken === row.claimToken && there.state === row.state;
    return ours ? { kind: 'replaced' } : { kind: 'lost', row: there };
  }
}

/** Random sequences of calls by several workers, some of whose answers are lost, against the model. */
export function modelSuite(engine: () => EmbeddedDynamo): void {
  it('workers with stale knowledge and lost answers see what the model says', async () => {
    const open = await openLedger(engine());
    const workers = Array.from({ length: WORKERS }, () => open.worker());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await play(open, workers, steps);
      }),
      { numRuns: 40 },
    );
  });
}

async function play(open: OpenLedger, workers: readonly Ledger[], steps: readonly Step[]) {
  const model = new Model();
  const first = Array.from({ length: KEYS }, () => aClaimedRow());
  const known = new Map<string, LedgerRecord>();
  for (const { worker, key, act, state, answer } of steps) {
    const ledger = workers[worker];
    const base = first[key];
    if (ledger === undefined || base === undefined) throw new Error('no such worker or key');
    const mine = `${worker}:${key}`;
    const seen = known.get(mine) ?? base;
    open.proxy.calm();
    if (answer === 'is-lost' && act !== 'read') open.proxy.next('PutItem', 'drop-answer');
    if (act === 'read') {
      const there = model.rows.get(key);
      const expected = there ? { kind: 'row', row: there } : { kind: 'absent' };
      expect(await ledger.read(base.sendKey)).toEqual(expected);
      if (there) known.set(mine, there);
    } else if (act === 'claim' || act === 'claim-again') {
      const row = act === 'claim' ? { ...base, claimToken: aClaimToken() } : seen;
      expect(await ledger.claim(row)).toEqual(model.claim(key, row));
      if (model.rows.get(key) === row) known.set(mine, row);
    } else {
      const token = act === 'take-over' ? aClaimToken() : seen.claimToken;
      const row = finished({ ...seen, claimToken: token }, state);
      const expected = model.replace(key, row, seen);
      expect(await ledger.replace(row, seen)).toEqual(expected);
      const there = model.rows.get(key);
      if (there) known.set(mine, there);
    }
  }
  for (const [key, base] of first.entries()) {
    const there = model.rows.get(key);
    const expected = there ? { kind: 'row', row: there } : { kind: 'absent' };
    expect(await workers[0]?.read(base.sendKey)).toEqual(expected);
  }
}
