import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBreaker } from '#app/breaker-control.ts';
import { readMarker } from '#app/mark-run.ts';
import { FRESH_BREAKER } from '#core/breaker.ts';
import { startDynalite } from '#infra/local/dynamodb/dynalite.ts';
import type { EmbeddedDynamo } from '#infra/local/dynamodb/embedded-dynamo.ts';
import type { FaultyProxy, ProxiedRequest, ProxyFault } from '#test/support/faulty-proxy.ts';
import { openPipelineStand, type PipelineStand } from '#test/support/pipeline-stand.ts';

let engine: EmbeddedDynamo;
beforeAll(async () => {
  engine = await startDynalite();
});
afterAll(() => engine.close());

const REMINDERS = 30;
const ROUND_MS = 70_000;
const WORKER = new URL('../../infra/local/consumer-worker.ts', import.meta.url);

/** Where an invocation is ended without warning, and whether its last request still arrives. */
type Kill = {
  readonly at: 'record' | 'ack' | 'claim';
  readonly nth: number;
  readonly arrives: boolean;
};

const KILLS: readonly Kill[] = [
  { at: 'claim', nth: 3, arrives: true },
  { at: 'record', nth: 2, arrives: false },
  { at: 'record', nth: 4, arrives: true },
  { at: 'ack', nth: 1, arrives: false },
  { at: 'record', nth: 1, arrives: false },
  { at: 'ack', nth: 3, arrives: true },
];

/** One invocation in a thread of its own, which does not live to its end. */
async function killedRun(stand: PipelineStand, kill: Kill, offsetMs: number): Promise<void> {
  const worker = new Worker(WORKER, {
    workerData: {
      env: { ...stand.env, ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: stand.table.endpoint },
      offsetMs,
      timeoutMs: 300_000,
    },
    stdout: true,
    stderr: true,
  });
  const ended = once(worker, 'exit');
  const proxy = kill.at === 'ack' ? stand.service : stand.table;
  endAt(proxy, kill, () => worker.terminate());
  worker.postMessage({ requestId: 'killed' });
  await ended;
  stand.table.calm();
  stand.service.calm();
}

function endAt(proxy: FaultyProxy, { at, nth, arrives }: Kill, end: () => Promise<number>): void {
  let seen = 0;
  let ending: Promise<number> | undefined;
  proxy.rule((request): ProxyFault | undefined => {
    // What a dead process had not sent before never comes.
    if (ending !== undefined) return { kind: 'reset' };
    if (!isAt(at, request)) return undefined;
    seen += 1;
    if (seen < nth) return undefined;
    ending = end();
    return arrives ? { kind: 'delay', until: ending } : { kind: 'reset' };
  });
}

function isAt(at: Kill['at'], { operation, body }: ProxiedRequest): boolean {
  switch (at) {
    case 'claim':
      return operation === 'PutItem' && body.includes('"state":{"S":"CLAIMED"}');
    case 'record':
      return operation === 'PutItem' && body.includes('"state":{"S":"SENT"}');
    case 'ack':
      return operation === 'POST /v1/queue/ack';
  }
}

it('invocations killed at every kind of boundary trip nothing and falsify no count', async () => {
  const stand = await openPipelineStand(engine, { startAt: Date.now(), concurrency: 2 });
  stand.publish(REMINDERS);
  let offsetMs = 0;
  for (const kill of KILLS) {
    await killedRun(stand, kill, offsetMs);
    await stand.clock.sleep(ROUND_MS);
    offsetMs += ROUND_MS;
  }
  const killedWork = stand.provider.effects.total;
  expect(killedWork).toBeGreaterThan(0);
  expect(killedWork).toBeLessThan(REMINDERS);

  const runs = [];
  for (let tick = 0; tick < 8; tick += 1) {
    runs.push(await stand.consume());
    const { findings } = await stand.check();
    expect(findings.filter(({ severity }) => severity === 'page')).toEqual([]);
    await stand.clock.sleep(ROUND_MS);
  }
  expect(stand.provider.effects.keyCount).toBe(REMINDERS);
  expect(stand.provider.effects.duplicated().size).toBe(0);
  const breaker = await readBreaker(stand.controls);
  expect(breaker).toEqual({ kind: 'breaker', breaker: FRESH_BREAKER, version: 0 });
  const marker = await readMarker(stand.controls);
  expect(marker).toMatchObject({ marker: { totals: { receiptsAhead: 0, terminalAhead: 0 } } });
  for (const { tally } of runs) {
    expect(tally.receipts).toBe(tally.terminal.SENT);
  }
});
