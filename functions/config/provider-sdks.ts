import type { ChannelConfig, ProviderName } from '#config/channels.ts';

/**
 * The package that a provider's sender loads when its channel is opened, and only then. A bundle
 * may leave out (esbuild `external`) those whose provider no channel names; a provider that is not
 * listed needs none.
 */
export const PROVIDER_SDKS = {
  ses: '@aws-sdk/client-sesv2',
  'aws-sms': '@aws-sdk/client-pinpoint-sms-voice-v2',
  fcm: 'jose',
} as const satisfies Partial<Record<ProviderName, string>>;

/** The packages of `PROVIDER_SDKS` that no channel needs. */
export function unusedProviderSdks(
  channels: Readonly<Record<string, { readonly provider: ChannelConfig['provider'] }>>,
): readonly string[] {
  const used = new Set<string>(Object.values(channels).map(({ provider }) => provider));
  return Object.entries(PROVIDER_SDKS)
    .filter(([provider]) => !used.has(provider))
    .map(([, sdk]) => sdk);
}
