import { createHttpClient } from '#adapters/http/http-call.ts';
import { createInfraiQueue } from '#adapters/infrai/infrai-queue.ts';
import { createInfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import { createHttpSender } from '#adapters/providers/http-sender.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { EpochMs, SendKey } from '#core/brand.ts';
import type { Queue, QueueMessage, Sender } from '#ports';
import { channelSettings } from './channel-settings.ts';
import type { ContestantSettings } from './contestant.ts';

export type PlainAdapters = {
  readonly queue: Queue;
  /** The same send for every contestant; rejects unless the provider accepted. */
  send(payload: ReminderPayload): Promise<{ readonly receipt: string }>;
};

export type ReminderPayload = Readonly<Record<string, unknown>> & {
  readonly user_id: string;
  readonly reminder_id: string;
  readonly scheduled_at: string;
};

/** The product's own queue and provider adapters, so that contestants differ in nothing else. */
export function openPlainAdapters(
  settings: ContestantSettings,
  concurrency: number,
): PlainAdapters {
  const clock = systemClock;
  const http = createHttpClient({ maxSockets: concurrency * 2 });
  const transport = createInfraiTransport({
    baseUrl: settings.queueUrl,
    apiKey: 'ifr_bench',
    http,
    clock,
    random: systemRandom,
  });
  const queue = createInfraiQueue({ transport, name: 'bench', telemetry: { count: () => {} } });
  const secrets = { get: async () => 'bench-token' };
  const sender = createHttpSender(channelSettings(settings.providerUrl), { http, secrets, clock });
  return { queue, send: (payload) => sendPlainly(sender, payload) };
}

/** Built by hand instead of validated: what the others save by that is theirs. */
async function sendPlainly(sender: Sender, payload: ReminderPayload) {
  const { user_id: userId, reminder_id: reminderId, scheduled_at: canonical } = payload;
  const result = await sender.send({
    reminder: {
      userId,
      reminderId,
      scheduledAt: { canonical, epochMs: Date.parse(canonical) as EpochMs },
      channel: 'push',
      version: 1,
      data: payload['data'] as Readonly<Record<string, unknown>>,
      attempt: 0,
      hop: 0,
    },
    sendKey: `${userId}-${reminderId}` as SendKey,
    sendUuid: '',
  });
  if (result.kind !== 'accepted') throw new Error(`the provider answered ${result.kind}`);
  return { receipt: result.receipt };
}

export function payloadOf(message: QueueMessage): ReminderPayload {
  return message.payload as ReminderPayload;
}
