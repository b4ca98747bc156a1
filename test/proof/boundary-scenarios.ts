import type { BlindPolicy, ProviderClass } from '#core/send-result.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';

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
  readonly proves: 'accepted' | 'deferred' | 'rejected' | 'nothing';
}[] = [
  { name: 'accepts', behaviour: undefined, proves: 'accepted' },
  { name: 'defers', behaviour: { kind: 'defer' }, proves: 'deferred' },
  { name: 'rejects-once', behaviour: { kind: 'reject' }, proves: 'rejected' },
  { name: 'rejects-always', behaviour: { kind: 'reject' }, always: true, proves: 'rejected' },
  { name: 'resets-accepted', behaviour: { kind: 'reset', accepted: true }, proves: 'nothing' },
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
  /** What becomes of the first try to record. */
  readonly record: 'goes-on' | 'not-applied' | 'answer-lost';
};

export function scenarioName(scenario: Scenario): string {
  const { channel, firstCall, lease, workers, record } = scenario;
  const hiccup = record === 'goes-on' ? '' : `, first record ${record}`;
  return `${channel.name}, provider ${firstCall.name}, lease ${lease}, ${workers} worker(s)${hiccup}`;
}

export function allScenarios(
  workers: readonly (1 | 2)[],
  records: readonly Scenario['record'][],
): readonly Scenario[] {
  return CHANNELS.flatMap((channel) =>
    FIRST_CALLS.flatMap((firstCall) =>
      (['alive', 'over'] as const).flatMap((lease) =>
        workers.flatMap((count) =>
          records.map((record) => ({ channel, firstCall, lease, workers: count, record })),
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
    workersEnded + Number(firstCall.proves === 'nothing') + Number(scenario.record !== 'goes-on');
  if (firstCall.proves === 'rejected') ends.add('REJECTED/0');
  if (firstCall.proves !== 'rejected') ends.add('SENT/1');
  if (uncertain === 0) return ends;
  // Whoever takes over cannot know of the refusal, and the provider may have thought better of it.
  if (firstCall.proves === 'rejected' && firstCall.always !== true) ends.add('SENT/1');
  switch (channel.name) {
    case 'dedupes':
      if (firstCall.proves === 'rejected') ends.add('PARKED_REJECTED_AFTER_UNKNOWN/0');
      break;
    case 'queryable':
      break;
    case 'blind-park':
      ends.add('PARKED_BLIND/0').add('PARKED_BLIND/1');
      break;
    case 'blind-resend':
      for (let again = 1; again <= uncertain; again += 1) ends.add(`SENT/${1 + again}`);
      break;
    case 'blind-assume-sent':
      ends.add('ASSUMED/0').add('ASSUMED/1');
      break;
  }
  return ends;
}
