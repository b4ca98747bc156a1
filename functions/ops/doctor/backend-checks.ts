import { readBreaker } from '#app/breaker-control.ts';
import { readBalance } from '#core/stats-reading.ts';
import type { Account, ControlStore, DeadLetters, Queue } from '#ports';
import { type Check, check, type Seen } from './check.ts';
import { WHY } from './why.ts';

export type CheckedBackends = {
  readonly account: Account;
  readonly queue: Pick<Queue, 'name' | 'stats'>;
  readonly deadLetters: Pick<DeadLetters, 'name' | 'stats'>;
  readonly controls: Pick<ControlStore, 'read'>;
  readonly balanceFloorUsd: number;
};

/** Key, balance, queue and breaker as they answer right now. */
export async function backendChecks(backends: CheckedBackends): Promise<readonly Check[]> {
  const { account, queue, deadLetters, controls, balanceFloorUsd } = backends;
  const [balance, own, dead, breaker] = await Promise.all([
    account.balance(),
    queue.stats(),
    deadLetters.stats(),
    readBreaker(controls),
  ]);
  return [
    check('api-key', WHY['api-key'], keySeen(balance)),
    check('balance', WHY.balance, balanceSeen(balance, balanceFloorUsd)),
    check('queue', WHY.queue, queueSeen(queue.name, own)),
    check('dead-letter-queue', WHY['dead-letter-queue'], deadLettersSeen(deadLetters.name, dead)),
    check('breaker', WHY.breaker, breakerSeen(breaker)),
  ];
}

type BalanceAnswer = Awaited<ReturnType<Account['balance']>>;
type StatsAnswer = Awaited<ReturnType<Queue['stats']>>;

function keySeen(answer: BalanceAnswer): Seen {
  if (answer.kind === 'balance') return { level: 'ok', what: 'the service accepts the key' };
  const refused = /UNAUTHORIZED|FORBIDDEN|HTTP_40[13]|SECRET_/.test(answer.code);
  return {
    level: 'fail',
    what: refused ? `the key is refused (${answer.code})` : `no answer (${answer.code})`,
    mend: refused
      ? 'put a valid key into the API key secret (output InfraiApiKeySecret)'
      : 'look at INFRAI_BASE_URL and the vendor’s status page, and run doctor again',
  };
}

function balanceSeen(answer: BalanceAnswer, floorUsd: number): Seen {
  const balance = answer.kind === 'balance' ? readBalance(answer.figures).value : null;
  if (balance === null) {
    return { level: 'warn', what: 'no balance can be read', mend: 'look at the account at Infrai' };
  }
  const what = `$${balance.toFixed(2)}, floor $${floorUsd.toFixed(2)}`;
  return balance >= floorUsd
    ? { level: 'ok', what }
    : { level: 'fail', what, mend: 'top up the account at Infrai' };
}

function queueSeen(name: string, answer: StatsAnswer): Seen {
  return answer.kind === 'stats'
    ? { level: 'ok', what: `${name} exists` }
    : {
        level: 'fail',
        what: `${name} gives no figures (${answer.code})`,
        mend: 'compare queueName in infra/stages.ts with the queue at Infrai, then create it',
      };
}

/** The service may make it with the first dead letter. */
function deadLettersSeen(name: string, answer: StatsAnswer): Seen {
  return answer.kind === 'stats'
    ? { level: 'ok', what: `${name} exists` }
    : {
        level: 'warn',
        what: `${name} gives no figures (${answer.code})`,
        mend: `create it and name it as the queue's dead_letter_queue, unless the service makes it by itself`,
      };
}

function breakerSeen(answer: Awaited<ReturnType<typeof readBreaker>>): Seen {
  if (answer.kind === 'failed') {
    return {
      level: 'fail',
      what: `the breaker cannot be read (${answer.code})`,
      mend: 'look at the table and the permissions on it',
    };
  }
  const { mode, reason, channels } = answer.breaker;
  const stopped = Object.keys(channels);
  if (mode.kind === 'running' && stopped.length === 0) return { level: 'ok', what: 'running' };
  const which = stopped.length === 0 ? '' : `; stopped channels: ${stopped.join(', ')}`;
  return { level: 'warn', what: `${mode.kind} (${reason})${which}`, mend: 'see status' };
}
