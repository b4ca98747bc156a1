import * as z from 'zod/mini';
import { idText, instantText } from '#core/field-schemas.ts';
import type { Instant } from '#core/instant.ts';
import { LEDGER_STATES } from '#core/ledger-record.ts';

export const REDRIVE_MODES = ['plan', 'redrive'] as const;
export type RedriveMode = (typeof REDRIVE_MODES)[number];

/** States that a filter may name: the ledger's, `NONE` (no row) and `INVALID` (no key). */
export const FILTER_STATES = [...LEDGER_STATES, 'NONE', 'INVALID'] as const;
export type FilterState = (typeof FILTER_STATES)[number];

/** Only dead letters that match every given field are looked at; the others stay untouched. */
export type RedriveFilter = {
  readonly sendKey?: string;
  readonly reminderId?: string;
  /** Compared by keyed reference; never logged, never stored. */
  readonly userId?: string;
  readonly channel?: string;
  readonly state?: FilterState;
  /** The row's reason code, or why a payload is invalid. */
  readonly reason?: string;
  /** Reminders whose own instant is before this one. */
  readonly olderThan?: Instant;
};

/** A person's request. Absent figures are the stage's. */
export type RedriveRequest = {
  readonly mode: RedriveMode;
  /** Dead letters that go back to the queue in this run, at most. */
  readonly max?: number;
  readonly ratePerSecond?: number;
  /** Dead letters per channel whose outcome decides about the rest; 0: none. */
  readonly canary?: number;
  readonly force: boolean;
  readonly filter: RedriveFilter;
};

export type RedriveTriggered =
  | { readonly kind: 'scheduled' }
  | { readonly kind: 'requested'; readonly request: RedriveRequest }
  /** Every fault by the field's name and what it allows, never a value: a value may be an id. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const whole = (min: number, max: number) => {
  const error = `allowed: a whole number from ${min} to ${max}`;
  return z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }));
};
const number = (min: number, max: number) => {
  const error = `allowed: a number from ${min} to ${max}`;
  return z.number({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }));
};
const text = (pattern: RegExp, allowed: string) =>
  z
    .string({ error: `allowed: ${allowed}` })
    .check(z.regex(pattern, { error: `allowed: ${allowed}` }));
const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, { error: `allowed: ${names.join(', ')}` });

/** As in a payload, and no longer. */
const id = idText('allowed: a non-blank text').check(
  z.refine((value) => value.trim() !== '' && value.length <= 512, {
    error: 'allowed: a non-blank text of at most 512 characters',
  }),
);

const instant = instantText((fault) => `allowed: an RFC 3339 instant with offset (${fault})`);

const filterFields = {
  sendKey: z.optional(text(/^k1_[0-9a-f]{64}$/, 'k1_ and 64 hex digits')),
  reminderId: z.optional(id),
  userId: z.optional(id),
  channel: z.optional(text(/^[a-z][a-z0-9_-]{0,63}$/, 'a channel name')),
  state: z.optional(oneOf(FILTER_STATES)),
  reason: z.optional(text(/^[\w.:/+-]{1,64}$/, 'a reason code')),
  olderThan: z.optional(instant),
};

const requestFields = {
  mode: oneOf(REDRIVE_MODES),
  max: z.optional(whole(1, 10_000)),
  ratePerSecond: z.optional(number(0.1, 100)),
  canary: z.optional(whole(0, 100)),
  force: z._default(z.boolean({ error: 'allowed: true or false' }), false),
  filter: z._default(
    z.strictObject(filterFields, { error: unknownOr('an object', filterFields) }),
    {},
  ),
};

/**
 * The one strict form of a request. Unknown fields are refused by name: a misspelt `fitler` would
 * otherwise redrive everything.
 */
export const redriveRequestSchema = z.strictObject(requestFields, {
  error: unknownOr('an object, or nothing for a scheduled run', requestFields),
});

/**
 * Reads what the function was invoked with. Nothing, an empty object, or the event that EventBridge
 * sends when a schedule has no input of its own, is a scheduled run.
 */
export function readRedriveEvent(event: unknown): RedriveTriggered {
  if (isScheduled(event)) return { kind: 'scheduled' };
  const parsed = redriveRequestSchema.safeParse(event);
  if (parsed.success) {
    const { filter, ...rest } = parsed.data;
    const request = { ...withoutUndefined(rest), filter: withoutUndefined(filter) };
    return { kind: 'requested', request: request as RedriveRequest };
  }
  const problems = parsed.error.issues.map((issue) =>
    [issue.path.map(String).join('.'), issue.message].filter((part) => part !== '').join(': '),
  );
  return { kind: 'invalid', problems };
}

function isScheduled(event: unknown): boolean {
  if (event === undefined || event === null) return true;
  if (typeof event !== 'object' || Array.isArray(event)) return false;
  if (Object.keys(event).length === 0) return true;
  const { source, 'detail-type': kind } = event as Record<string, unknown>;
  return (source === 'aws.scheduler' || source === 'aws.events') && kind === 'Scheduled Event';
}

function unknownOr(allowed: string, fields: Readonly<Record<string, unknown>>) {
  return (issue: { readonly code?: string; readonly keys?: readonly string[] }): string => {
    if (issue.code !== 'unrecognized_keys') return `allowed: ${allowed}`;
    const named = (issue.keys ?? []).map((key) => `"${printable(key)}"`).join(', ');
    return `unknown field ${named}; allowed: ${Object.keys(fields).join(', ')}`;
  };
}

function printable(name: string): string {
  return name.slice(0, 40).replace(/[^\w.-]/g, '_');
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
