import type { BlindPolicy, ProviderClass } from '#core/send-result.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import type { Fate } from '#test/support/fated-worker.ts';

/** A class with its policy: what follows an unknown outcome. */
export const CHANNELS: readonly {
  readonly name: string;
  readonly providerClass: ProviderClass;
  readonly blindPolicy: BlindPolicy;
}[] = [
  { name: 'dedupes', providerClass: 'dedupes', blindPolicy: 'park' },
  { name: 'queryable', providerClass: 'queryable', blindPolicy: 'park' },
  { name: 'blind-park', providerClass: 'blind', blindPolicy: 'park' },
  { name: 'blind-resend', providerClass: 'blind', blindPolicy: 'resend' },
  { name: 'blind-assume-sent', providerClass: 'blind', blindPolicy: 'assume-sent' },
];

/** What the provider does with the first call, and what that call proves. */
export const FIRST_CALLS: readonly {
  readonly name: string;
  readonly behaviour: ProviderBehaviour | undefined;
  readonly always?: boolean;
  /** What it does with the second call; it accepts when absent. */
  readonly next?: ProviderBehaviour;
  readonly proves: 'accepted' | 'deferred' | 'rejected' | 'nothing';
}[] = [
  { name: 'accepts', behaviour: undefined, proves: 'accepted' },
  { name: 'defers', behaviour: { kind: 'defer' }, proves: 'deferred' },
  { name: 'rejects-once', behaviour: { kind: 'reject' }, proves: 'rejected' },
  { name: 'rejects-always', behaviour: { kind: 'reject' }, always: true, proves: 'rejected' },
  { name: 'resets-accepted', behaviour: { kind: 'reset', accepted: true }, proves: 'nothing' },
  {
    name: 'resets-accepted-then-rejects',
    behaviour: { kind: 'reset', accepted: true },
    next: { kind: 'reject' },
    proves: 'nothing',
  },
  {
    name: 'resets-accepted-then-defers',
    behaviour: { kind: 'reset', accepted: true },
    next: { kind: 'defer' },
    proves: 'nothing',
  },
  { name: 'resets-unsent', behaviour: { kind: 'reset', accepted: false }, proves: 'nothing' },
  { name: 'hangs-accepted', behaviour: { kind: 'hang', accepted: true }, proves: 'nothing' },
  { name: 'hangs-unsent', behaviour: { kind: 'hang', accepted: false }, proves: 'nothing' },
  { name: 'commits-late', behaviour: { kind: 'slow-commit', commitMs: 14_500 }, proves: 'nothing' },
  { name: 'no-receipt', behaviour: { kind: 'no-receipt', accepted: true }, proves: 'nothing' },
  { name: 'refuses-us', behaviour: { kind: 'auth-failure' }, proves: 'deferred' },
];

export type Scenario = {
  readonly channel: (typeof CHANNELS)[number];
  readonly firstCall: (typeof FIRST_CALLS)[number];
  /** Whether a redelivery meets a lease that is alive (seconds later) or over. */
  readonly lease: 'alive' | 'over';
  /** 2: the same reminder was published twice, and two workers take them at once. */
  readonly workers: 1 | 2;
  readonly hiccup: Hiccup;
};

/** What else goes wrong in the first life: a call that does not do its work, or whose answer is lost. */
export const HICCUPS = [
  'none',
  'first record not applied',
  'first record answer lost',
  'no record applied',
  'no record answered',
  'no publish applied',
  'no publish answered',
  'no claim answered',
  'no ack applied',
] as const;
export type Hiccup = (typeof HICCUPS)[number];

const HICCUP_CALLS: Record<Exclude<Hiccup, 'none'>, HiccupCall> = {
  'first record not applied': { method: 'replace', fate: 'not-applied', first: true },
  'first record answer lost': { method: 'replace', fate: 'answer-lost', first: true },
  'no record applied': { method: 'replace', fate: 'not-applied', first: false },
  'no record answered': { method: 'replace', fate: 'answer-lost', first: false },
  'no publish applied': { method: 'publish', fate: 'not-applied', first: false },
  'no publish answered': { method: 'publish', fate: 'answer-lost', first: false },
  'no claim answered': { method: 'claim', fate: 'answer-lost', first: false },
  'no ack applied': { method: 'ack', fate: 'not-applied', first: false },
};
type HiccupCall = {
  readonly method: string;
  readonly fate: 'not-applied' | 'answer-lost';
  /** Only the first such call; else every one of the first life. */
  readonly first: boolean;
};

/** The fate of a call under a scenario's hiccup, of the first life only. */
export function hiccupFate(hiccup: Hiccup, method: string, earlierCalls: number): Fate {
  if (hiccup === 'none') return 'goes-on';
  const met = HICCUP_CALLS[hiccup];
  const applies = met.method === method && (earlierCalls === 0 || !met.first);
  return applies ? met.fate : 'goes-on';
}

export function scenarioName(scenario: Scenario): string {
  const { channel, firstCall, lease, workers } = scenario;
  const hiccup = scenario.hiccup === 'none' ? '' : `, ${scenario.hiccup}`;
  return `${channel.name}, provider ${firstCall.name}, lease ${lease}, ${workers} worker(s)${hiccup}`;
}

export function allScenarios(
  workers: readonly (1 | 2)[],
  hiccups: readonly Hiccup[],
): readonly Scenario[] {
  return CHANNELS.flatMap((channel) =>
    FIRST_CALLS.flatMap((firstCall) =>
      (['alive', 'over'] as const).flatMap((lease) =>
        workers.flatMap((count) =>
          hiccups.map((hiccup) => ({ channel, firstCall, lease, workers: count, hiccup })),
        ),
      ),
    ),
  );
}

/** The end states that the protocol documents for a scenario, as `STATE/reason class/effects`. */
export function documentedEnds(scenario: Scenario, workersEnded: number): ReadonlySet<string> {
  const { channel, firstCall } = scenario;
  const ends = new Set<string>();
  /** How often it may have stayed open whether the provider accepted. */
  const uncertain =
    workersEnded + Number(firstCall.proves === 'nothing') + Number(scenario.hiccup !== 'none');
  if (firstCall.proves === 'rejected') ends.add('REJECTED/0');
  if (firstCall.proves !== 'rejected') ends.add('SENT/1');
  if (uncertain === 0) return ends;
  // Whoever takes over cannot know of the refusal, and the provider may have thought better of it.
  if (firstCall.proves === 'rejected' && firstCall.always !== true) ends.add('SENT/1');
  switch (channel.name) {
    case 'dedupes':
      if (firstCall.proves === 'rejected') ends.add('PARKED_REJECTED_AFTER_UNKNOWN/0');
      if (firstCall.next?.kind === 'reject') ends.add('PARKED_REJECTED_AFTER_UNKNOWN/1');
      break;
    case 'queryable':
      break;
    case 'blind-park':
      ends.add('PARKED_BLIND/0').add('PARKED_BLIND/1');
      break;
    case 'blind-resend':
      for (let again = 1; again <= uncertain; again += 1) ends.add(`SENT/${1 + again}`);
      // By its policy the first outcome is forgotten, so that the refusal of the second ends it.
      if (firstCall.next?.kind === 'reject') ends.add('REJECTED/1');
      break;
    case 'blind-assume-sent':
      ends.add('ASSUMED/0').add('ASSUMED/1');
      break;
  }
  return ends;
}
