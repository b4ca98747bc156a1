import { ROW_FORMAT } from '#adapters/dynamodb/table-schema.ts';
import type { ProxiedRequest } from '#test/support/faulty-proxy.ts';
import type { Lane } from './real-stage.ts';

/** What a worker asks of the world, as its own proxies see it. */
export const KILL_POINTS = [
  'consume',
  'claim',
  'send',
  'query',
  'take-over',
  'record',
  'publish',
  'ack',
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** Just before the other side sees the request, or just after it has done what it was asked. */
export const MOMENTS = ['before', 'after'] as const;
export type Moment = (typeof MOMENTS)[number];

export type KillPlan =
  | {
      readonly kind: 'at';
      readonly point: KillPoint;
      readonly moment: Moment;
      readonly nth: number;
    }
  | { readonly kind: 'random'; readonly afterMs: number };

export function nameOf(plan: KillPlan): string {
  return plan.kind === 'random' ? 'at a random time' : `${plan.moment} ${plan.point}`;
}

/** The new row's state, not the one of its condition. */
const CLAIMED_AGAIN = /"state":\{"S":"CLAIMED"\}/;

/** What a request is to the worker; undefined for what no reminder depends on. */
export function pointOf(request: ProxiedRequest): KillPoint | undefined {
  const { operation, path, body } = request;
  if (operation === 'PutItem') {
    if (!body.includes(ROW_FORMAT)) return undefined;
    if (body.includes('attribute_not_exists')) return 'claim';
    return CLAIMED_AGAIN.test(body) ? 'take-over' : 'record';
  }
  if (path.startsWith('/send/')) return 'send';
  if (path.startsWith('/messages/')) return 'query';
  const route = /^\/v1\/queue\/(consume|publish|ack)$/.exec(path)?.[1];
  return route as KillPoint | undefined;
}

/** Trouble of sockets that goes on all the while, as a share of all requests. */
const TROUBLE = ['half-open', 'withhold-answer', 'drop-answer', 'cut-answer', 'reset'] as const;
const TROUBLE_SHARE = 0.02;

export type Trouble = (typeof TROUBLE)[number];

/**
 * Arms a lane for one life of its worker: kills it when its plan is met. Until then (and in all
 * other requests) sockets half-open, lose answers or reset now and then.
 */
export function armLane(
  lane: Lane,
  plan: KillPlan | null,
  parts: {
    readonly fraction: () => number;
    readonly kill: () => void;
    readonly onTrouble: (trouble: Trouble) => void;
  },
): void {
  let left = plan?.kind === 'at' ? plan.nth : 0;
  for (const proxy of [lane.queue, lane.provider, lane.ledger]) {
    // A long run would keep every request of it.
    proxy.calm();
    proxy.rule((request) => {
      if (plan?.kind === 'at' && left > 0 && pointOf(request) === plan.point) {
        left -= 1;
        if (left === 0) return killAt(plan.moment, parts.kill);
      }
      if (parts.fraction() >= TROUBLE_SHARE) return undefined;
      const trouble = TROUBLE[Math.floor(parts.fraction() * TROUBLE.length)] ?? 'reset';
      parts.onTrouble(trouble);
      return { kind: trouble };
    });
  }
}

function killAt(moment: Moment, kill: () => void) {
  if (moment === 'before') {
    kill();
    return { kind: 'half-open' } as const;
  }
  const rewrite = (body: string) => {
    kill();
    return body;
  };
  return { kind: 'rewrite', rewrite } as const;
}
