import { createHttpClient } from '#adapters/http/http-call.ts';
import { createHttpSender, type HttpChannel } from '#adapters/providers/http-sender.ts';
import type { SendKey } from '#core/brand.ts';
import { instantOf } from '#core/instant.ts';
import type { Reminder } from '#core/reminder.ts';
import type { Secrets, SendRequest } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';
import { reply, type Script, startScriptedServer } from '#test/support/scripted-server.ts';

export const SECRET = 'sk_live_planted';
export const REMINDER: Reminder = {
  userId: 'planted-user',
  reminderId: 'trial-ends',
  scheduledAt: instantOf(Date.UTC(2026, 6, 26, 9)),
  channel: 'push',
  data: { b: 2, a: { d: 1, c: 'planted-data' } },
  attempt: 0,
  hop: 0,
};
export const REQUEST: SendRequest = {
  reminder: REMINDER,
  sendKey: `k1_${'0f'.repeat(32)}` as SendKey,
  sendUuid: '0f0f0f0f-0f0f-8f0f-8f0f-0f0f0f0f0f0f',
};

/** A 200 that names a receipt. */
export const receipt = (id: unknown = 'rcpt_1') => reply(200, { id });

/** The generic HTTP sender against a server that plays the given answers. `close` it. */
export async function senderStand(
  scripts: readonly [Script, ...Script[]],
  channel: Partial<HttpChannel> = {},
  secrets: Secrets = { get: async () => SECRET },
) {
  const server = await startScriptedServer(...scripts);
  const http = createHttpClient({ maxSockets: 5 });
  const close = async () => {
    http.close();
    await server.close();
  };
  try {
    const sender = createHttpSender(
      {
        provider: 'http',
        url: `${server.url}/send`,
        class: 'dedupes',
        windowSeconds: 86_400,
        sendTimeoutMs: 2_000,
        commitSeconds: 5,
        blindPolicy: 'park',
        ...channel,
        ...(channel.queryUrl && { queryUrl: `${server.url}${channel.queryUrl}` }),
      },
      { http, secrets, clock: new HandClock() },
    );
    return { sender, server, close };
  } catch (error) {
    await close();
    throw error;
  }
}
