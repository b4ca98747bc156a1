import { createHttpClient } from '#adapters/http/http-call.ts';
import {
  createInfraiDeadLetters,
  createInfraiQueue,
  type InfraiQueueOptions,
} from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import type { QueueMessage } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';
import { reply, type Script, startScriptedServer } from '#test/support/scripted-server.ts';

export const API_KEY = 'ifr_planted_key_for_tests';
export const PULL = { maxMessages: 10, visibilityTimeoutSeconds: 60 };
export const COPY = {
  payload: { user_id: 'planted-user' },
  delaySeconds: 60,
  idempotencyKey: 'k1_00ff-1-0',
};
export const MESSAGE: QueueMessage = {
  messageId: 'qmsg_1',
  payload: {},
  deliveryCount: 1,
  ackHandle: 'qmsg_1',
};

/** A good envelope. */
export const ok = (data: unknown) => reply(200, { ok: true, data, error: null, metadata: {} });

/** A refusal by envelope. */
export const refusal = (status: number, error: unknown, headers: Record<string, string> = {}) =>
  reply(status, { ok: false, data: null, error, metadata: {} }, headers);

export type StandSetup = Partial<Pick<InfraiQueueOptions, 'ackField' | 'payloadField'>> & {
  readonly tryTimeoutMs?: number;
  readonly callBudgetMs?: number;
  readonly apiKey?: string | (() => Promise<string>);
};

/**
 * The queue adapter against a server that plays the given answers, with a clock that only sleeps
 * move. `close` it.
 */
export async function infraiStand(scripts: readonly [Script, ...Script[]], setup: StandSetup = {}) {
  const server = await startScriptedServer(...scripts);
  const http = createHttpClient({ maxSockets: 5 });
  const clock = new HandClock();
  let tokens = 0;
  const random = {
    fraction: () => 0.5,
    token: () => {
      tokens += 1;
      return `token-${tokens}`;
    },
  };
  const transport = createInfraiTransport({
    baseUrl: `${server.url}/`,
    apiKey: setup.apiKey ?? API_KEY,
    http,
    clock,
    random,
    tryTimeoutMs: setup.tryTimeoutMs ?? 5_000,
    ...(setup.callBudgetMs !== undefined && { callBudgetMs: setup.callBudgetMs }),
  });
  const counted: Record<string, number> = {};
  const options = {
    transport,
    name: 'reminders/eu',
    random,
    telemetry: {
      count: (metric: string, value = 1) => {
        counted[metric] = (counted[metric] ?? 0) + value;
      },
    },
    ...(setup.ackField && { ackField: setup.ackField }),
    ...(setup.payloadField && { payloadField: setup.payloadField }),
  };
  return {
    transport,
    queue: createInfraiQueue(options),
    deadLetters: createInfraiDeadLetters(options),
    server,
    clock,
    counted,
    bodyOf: (call: number) => JSON.parse(server.seen[call]?.text ?? 'null'),
    async close() {
      http.close();
      await server.close();
    },
  };
}
