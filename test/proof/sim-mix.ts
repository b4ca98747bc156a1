import type { DeliverySettings } from '#core/delivery-settings.ts';
import type { SenderProfile } from '#core/send-result.ts';
import { CHANNELS } from '#test/proof/boundary-scenarios.ts';
import { SETTINGS } from '#test/support/core-data.ts';

/** What is wrong with the world for a while. */
export const WEATHERS = [
  'calm',
  'provider defers',
  'provider hangs',
  'provider resets',
  'provider rejects some',
  'provider refuses us',
  'provider gives no receipt',
  'queue unwell',
  'queue out of credit',
  'queue redelivers',
  'ledger unwell',
  'ledger answers lost',
  'workers end',
  'workers freeze',
  'no consumer runs',
] as const;
export type Weather = (typeof WEATHERS)[number];

/** One way to run the product: a channel's class, its times, and how far clocks disagree. */
export type Mix = {
  readonly name: string;
  readonly profile: Partial<SenderProfile>;
  readonly settings: DeliverySettings;
  readonly visibilityTimeoutSeconds: number;
  readonly visibility: 'honoured' | 'ignored';
  /** Each worker's clock is off by up to this, either way. */
  readonly clockSpreadMs: number;
  /** How long after its acceptance a message can be asked for; below the commit time. */
  readonly queryLagMs?: number;
};

/** Clocks two minutes off either way: the times that the configuration then asks for. */
const SKEWED: Pick<Mix, 'settings' | 'visibilityTimeoutSeconds' | 'clockSpreadMs'> = {
  settings: { ...SETTINGS, leaseMs: 300_000, skewMs: 240_000 },
  visibilityTimeoutSeconds: 360,
  clockSpreadMs: 120_000,
};
const USUAL: Pick<Mix, 'settings' | 'visibilityTimeoutSeconds' | 'clockSpreadMs'> = {
  settings: SETTINGS,
  visibilityTimeoutSeconds: 60,
  clockSpreadMs: SETTINGS.skewMs / 2,
};

const BY_CHANNEL: readonly Mix[] = CHANNELS.flatMap(({ name, providerClass, blindPolicy }) => {
  const windowSeconds = providerClass === 'dedupes' ? 86_400 : null;
  const profile = { providerClass, blindPolicy, windowSeconds };
  return [
    { name, profile, visibility: 'honoured', ...USUAL },
    { name: `${name}, leases ignored`, profile, visibility: 'ignored', ...USUAL },
    { name: `${name}, clocks two minutes off`, profile, visibility: 'honoured', ...SKEWED },
  ] as const;
});

/** Providers at the edge of what their class promises. */
const AT_THE_EDGE: readonly Mix[] = [
  {
    name: 'dedupes for ten minutes only',
    profile: { providerClass: 'dedupes', windowSeconds: 600 },
    visibility: 'honoured',
    ...USUAL,
  },
  {
    name: 'queryable, shown seconds after it was accepted',
    profile: { providerClass: 'queryable', windowSeconds: null },
    visibility: 'ignored',
    queryLagMs: 4_500,
    ...USUAL,
  },
];

export const MIXES: readonly Mix[] = [...BY_CHANNEL, ...AT_THE_EDGE];
