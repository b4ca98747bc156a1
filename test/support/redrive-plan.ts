import type { ClaimToken } from '#core/brand.ts';
import type { Delivery } from '#core/delivery.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import {
  HEALTHY,
  planRedrive,
  type RedriveDecision,
  type RedriveMoment,
  type RedriveRules,
  type RowSeen,
} from '#core/plan-redrive.ts';
import { aDelivery, DUE_AT, HOUR_MS, SETTINGS } from '#test/support/core-data.ts';

export const NOW = DUE_AT + HOUR_MS;
export const TOKEN = 't_redrive' as ClaimToken;
export const SCHEDULED: RedriveRules = {
  cap: 3,
  trigger: 'scheduled',
  force: false,
  settings: SETTINGS,
};
export const REQUESTED: RedriveRules = { ...SCHEDULED, trigger: 'requested' };
export const FORCED: RedriveRules = { ...REQUESTED, force: true };
export const MOMENT: RedriveMoment = {
  now: NOW,
  health: HEALTHY,
  redrivenThisRun: false,
  token: TOKEN,
};
export const UNWELL: RedriveMoment = {
  ...MOMENT,
  health: { kind: 'unhealthy', reason: 'CANARY_HTTP_503' },
};

type Case = {
  readonly delivery?: Delivery;
  readonly rules?: RedriveRules;
  readonly moment?: Partial<RedriveMoment>;
};

export function plan(row: LedgerRecord | RowSeen, given: Case = {}): RedriveDecision {
  const seen: RowSeen = 'kind' in row ? row : { kind: 'row', row };
  const delivery = given.delivery ?? aDelivery();
  const moment = { ...MOMENT, ...given.moment };
  return planRedrive({ kind: 'valid', delivery, row: seen }, given.rules ?? SCHEDULED, moment);
}

export function written(decision: RedriveDecision): LedgerRecord {
  if (decision.action === 'keep' || decision.write.kind === 'none') throw new Error('no write');
  return decision.write.next;
}

export const BLIND = aDelivery({}, { providerClass: 'blind', windowSeconds: null });
export const blindWith = (blindPolicy: 'resend' | 'assume-sent') =>
  aDelivery({}, { providerClass: 'blind', windowSeconds: null, blindPolicy });
export const QUERYABLE = aDelivery({}, { providerClass: 'queryable', windowSeconds: null });
export const OTHER_CONTENT = aDelivery({}, {}, 'Your trial ends tomorrow');
