import { DynamoControlStore } from '#adapters/dynamodb/dynamo-control-store.ts';
import { DynamoLedger } from '#adapters/dynamodb/dynamo-ledger.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import { createInfraiAccount } from '#adapters/infrai/infrai-account.ts';
import { createInfraiDeadLetters } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { systemRandom } from '#adapters/system/random.ts';
import { type CheckDeps, checkStats } from '#app/check-stats.ts';
import { statsSchema } from '#config/stats-config.ts';
import type { Finding } from '#core/finding.ts';
import { EmulatorClock } from './emulator-clock.ts';
import type { Stage } from './stage.ts';

const CALL_BUDGET_MS = 3000;

/** The stats function's use case over a running stage, in the stage's own time. */
export type StageWatch = {
  /** One reading, remembered, so that the next look sees what has grown since. */
  look(): Promise<readonly Finding[]>;
  close(): void;
};

/** @param offsetMs how far the stage's clock is shifted */
export function openStageWatch(stage: Stage, offsetMs: number): StageWatch {
  const clock = new EmulatorClock();
  clock.advance(offsetMs);
  const http = createHttpClient({ maxSockets: 4 });
  const transport = createInfraiTransport({
    baseUrl: stage.env.INFRAI_BASE_URL,
    apiKey: stage.env['INFRAI_API_KEY'] ?? '',
    http,
    clock,
    random: systemRandom,
    callBudgetMs: CALL_BUDGET_MS,
  });
  const table = {
    documents: stage.dynamo.client(),
    tableName: stage.env.LEDGER_TABLE,
    callBudgetMs: CALL_BUDGET_MS,
  };
  const deps: CheckDeps = {
    queue: stage.client,
    deadLetters: createInfraiDeadLetters({
      transport,
      name: stage.env.QUEUE_NAME,
      telemetry: { count: () => {} },
      random: systemRandom,
    }),
    account: createInfraiAccount(transport),
    ledger: new DynamoLedger(table),
    controls: new DynamoControlStore({ ...table, random: systemRandom }),
    clock,
  };
  const thresholds = statsSchema.parse({});
  return {
    async look() {
      const { findings } = await checkStats(deps, thresholds, { remember: true });
      return findings;
    },
    close: () => http.close(),
  };
}
