/** The one channel of the bench: a provider that remembers keys for a day. */
export function channelSettings(providerUrl: string) {
  return {
    provider: 'http',
    url: `${providerUrl}/send`,
    class: 'dedupes',
    windowSeconds: 86_400,
    sendTimeoutMs: 10_000,
    commitSeconds: 5,
    blindPolicy: 'park',
    secretRef: 'env:PROVIDER_TOKEN',
  } as const;
}
