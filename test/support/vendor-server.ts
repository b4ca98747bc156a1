import { createHttpClient } from '#adapters/http/http-call.ts';
import type { Secrets } from '#ports';
import { HandClock } from '#test/support/hand-clock.ts';
import {
  reply,
  type Script,
  type SeenRequest,
  startScriptedServer,
} from '#test/support/scripted-server.ts';
import {
  openVendorSender,
  SERVICE_ACCOUNT,
  VENDOR_STANDS,
  type VendorStand,
} from '#test/support/vendor-stands.ts';

/** What each vendor answers to an accepted send, by path; `{address}` from the directory. */
const ACCEPTED: Readonly<Record<string, unknown>> = {
  id: 'rcpt_1',
  sid: 'SM1',
  name: 'projects/p/messages/1',
  MessageId: 'm-1',
  ok: true,
  data: { email_id: 'e_1', sms_id: 's_1' },
};

export type VendorServerSetup = {
  /** What the directory answers; an address by default. */
  readonly directory?: Script;
  /** What the provider answers, call after call, the last one for ever; accepted by default. */
  readonly provider?: readonly [Script, ...Script[]];
  /** Google's token endpoint. */
  readonly token?: Script;
  readonly secrets?: Secrets;
  /** Further members of the channel. */
  readonly channel?: Readonly<Record<string, unknown>>;
  /** The same, where they need the server's address. */
  readonly channelOf?: (url: string) => Readonly<Record<string, unknown>>;
};

export function vendor(provider: VendorStand['provider']): VendorStand {
  return VENDOR_STANDS.find((stand) => stand.provider === provider) as VendorStand;
}

const ADDRESSES: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  sms: '+15550002222',
  push: 'device-token-1',
};

/**
 * A sender against one server that plays its provider, the directory and the token endpoint by
 * path. `toProvider` are the requests that the provider saw.
 */
export async function vendorServer(stand: VendorStand, setup: VendorServerSetup = {}) {
  const answers = setup.provider ?? [reply(200, ACCEPTED)];
  const toProvider: SeenRequest[] = [];
  const toDirectory: SeenRequest[] = [];
  const toToken: SeenRequest[] = [];
  const server = await startScriptedServer((answer, seen, socket) => {
    if (seen.path.startsWith('/directory/')) {
      toDirectory.push(seen);
      const channel = new URL(`http://x${seen.path}`).searchParams.get('channel') ?? '';
      const script = setup.directory ?? reply(200, { address: ADDRESSES[channel] });
      return script(answer, seen, socket);
    }
    if (seen.path === '/token') {
      toToken.push(seen);
      const script = setup.token ?? reply(200, { access_token: 'at_1', expires_in: 3600 });
      return script(answer, seen, socket);
    }
    toProvider.push(seen);
    answers[Math.min(toProvider.length, answers.length) - 1]?.(answer, seen, socket);
  });
  const http = createHttpClient({ maxSockets: 5 });
  const clock = new HandClock();
  const secrets = setup.secrets ?? {
    get: async (reference: string) =>
      reference === 'env:SERVICE_ACCOUNT' ? SERVICE_ACCOUNT : 'planted_key',
  };
  const close = async () => {
    http.close();
    await server.close();
  };
  try {
    const changed: VendorStand = {
      ...stand,
      channel: (url) => ({ ...stand.channel(url), ...setup.channel, ...setup.channelOf?.(url) }),
    };
    const sender = await openVendorSender(changed, server.url, { http, clock, secrets });
    return { sender, clock, url: server.url, toProvider, toDirectory, toToken, close };
  } catch (error) {
    await close();
    throw error;
  }
}
