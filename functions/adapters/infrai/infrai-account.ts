import { isObject } from '#adapters/infrai/envelope.ts';
import type { InfraiTransport } from '#adapters/infrai/infrai-transport.ts';
import type { Account } from '#ports';

/** The Infrai account: `balance_usd` and `currency` as sent (contract page, account.balance). */
export function createInfraiAccount(transport: InfraiTransport): Account {
  return {
    async balance() {
      const answer = await transport.call({
        method: 'GET',
        path: '/v1/account/balance',
        repeat: 'harmless',
      });
      if (answer.kind === 'failed') return { kind: 'failed', code: answer.code };
      if (!isObject(answer.data)) return { kind: 'failed', code: 'UNREADABLE_ANSWER' };
      return { kind: 'balance', figures: answer.data };
    },
  };
}
