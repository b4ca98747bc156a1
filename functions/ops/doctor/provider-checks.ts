import type { HttpClient } from '#adapters/http/http-call.ts';
import type { ChannelConfig } from '#config/channels.ts';
import type { SendKey } from '#core/brand.ts';
import { instantOf } from '#core/instant.ts';
import type { Clock, Random, Sender } from '#ports';
import { type Check, check, type Seen } from './check.ts';
import { WHY } from './why.ts';

export type ProviderParts = {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly longestWaitSeconds: number;
};

const REACH_TIMEOUT_MS = 8000;

/** Each channel's provider: does it answer, and is its class plausible. Nothing is sent. */
export async function providerChecks(
  channels: Readonly<Record<string, ChannelConfig>>,
  senders: ReadonlyMap<string, Sender>,
  parts: ProviderParts,
): Promise<readonly Check[]> {
  const checks = Object.entries(channels).map(async ([name, channel]) => {
    const sender = senders.get(name);
    return [
      check(`provider-${name}`, WHY.provider, await reach(channel, parts.http)),
      check(
        `provider-class-${name}`,
        WHY['provider-class'],
        sender === undefined
          ? { level: 'fail', what: 'the channel has no sender' }
          : await plausible(sender, parts),
      ),
    ];
  });
  return (await Promise.all(checks)).flat();
}

/** `GET /` of the provider's origin: any answer at all proves name, network and TLS. */
async function reach(channel: ChannelConfig, http: HttpClient): Promise<Seen> {
  const url = endpointOf(channel);
  if (url === null) {
    return { level: 'skip', what: `the SDK of ${channel.provider} finds its endpoint by region` };
  }
  const { origin, host } = new URL(url);
  const answer = await http.call({
    method: 'GET',
    url: `${origin}/`,
    headers: { 'user-agent': 'remind-once' },
    timeoutMs: REACH_TIMEOUT_MS,
  });
  if (answer.kind === 'answer') return { level: 'ok', what: `${host} answers` };
  const cause = answer.kind === 'invalid-request' ? answer.code : answer.cause;
  return {
    level: 'fail',
    what: `${host} does not answer (${cause})`,
    mend: 'look at the URL in infra/stages.ts, at the provider’s status page and at your network',
  };
}

function endpointOf(channel: ChannelConfig): string | null {
  if ('url' in channel) return channel.url;
  if ('baseUrl' in channel) return channel.baseUrl;
  return 'endpointUrl' in channel ? (channel.endpointUrl ?? null) : null;
}

async function plausible(sender: Sender, parts: ProviderParts): Promise<Seen> {
  const { profile } = sender;
  switch (profile.providerClass) {
    case 'blind':
      return {
        level: profile.blindPolicy === 'park' ? 'ok' : 'warn',
        what: `blind, policy ${profile.blindPolicy}: unknown outcomes ${POLICY[profile.blindPolicy]}`,
        mend: profile.blindPolicy === 'park' ? '' : 'make sure that this is the trade you want',
      };
    case 'dedupes':
      return dedupes(profile.windowSeconds ?? 0, parts.longestWaitSeconds);
    case 'queryable':
      return asked(sender, parts);
  }
}

const POLICY = {
  park: 'rest for your decision',
  resend: 'are sent again and may duplicate',
  'assume-sent': 'count as sent and may be lost',
} as const;

function dedupes(windowSeconds: number, longestWaitSeconds: number): Seen {
  const hours = Math.round(windowSeconds / 360) / 10;
  return windowSeconds > longestWaitSeconds
    ? {
        level: 'ok',
        what: `dedupes for ${hours} h (declared; only a second send could prove it, so the contract tests do)`,
      }
    : {
        level: 'warn',
        what: `dedupes for ${hours} h, less than the longest wait between two attempts (${longestWaitSeconds} s)`,
        mend: 'shorten DELIVERY.ladderSeconds, or expect outcomes to rest for your decision',
      };
}

/** Asked for a key that was never sent, a queryable provider must say that it has nothing. */
async function asked(sender: Sender, { clock, random }: ProviderParts): Promise<Seen> {
  if (sender.query === undefined) return { level: 'fail', what: 'queryable without a query' };
  const digest = random.token().replace(/[^0-9a-f]/g, '');
  const now = instantOf(clock.now());
  const answer = await sender.query({
    sendKey: `k1_${digest.padEnd(64, '0').slice(0, 64)}` as SendKey,
    sendUuid: '00000000-0000-8000-8000-000000000000',
    reminder: {
      userId: 'doctor',
      reminderId: 'doctor',
      scheduledAt: now,
      channel: 'doctor',
      attempt: 0,
      hop: 0,
    },
  });
  switch (answer.kind) {
    case 'absent':
      return { level: 'ok', what: 'queryable: it says that it has not what was never sent' };
    case 'found':
      return {
        level: 'fail',
        what: 'it claims to have a key that was never sent',
        mend: 'look at queryUrl and queryReceiptPath of the channel',
      };
    case 'channel-stopped':
      return {
        level: 'fail',
        what: `it refuses our credentials (${answer.code})`,
        mend: 'put the right value into the channel’s secret',
      };
    case 'cannot-tell':
      return {
        level: 'warn',
        what: `it cannot tell (${answer.cause})`,
        mend: 'run doctor again; if it stays so, the channel is blind in truth',
      };
  }
}
