import type { ChannelConfig } from '#config/channels.ts';
import type { ConfigFault } from '#core/errors.ts';

/** Every secret that a channel's sender reads, by reference: what its role must be allowed. */
export function channelSecretRefs(channel: ChannelConfig): readonly string[] {
  const refs: (string | undefined)[] = [];
  if ('secretRef' in channel) refs.push(channel.secretRef);
  if ('signing' in channel) {
    refs.push(channel.signing?.secretRef, channel.signing?.previousSecretRef);
  }
  if ('recipient' in channel && channel.recipient.from === 'directory') {
    refs.push(channel.recipient.secretRef);
  }
  return refs.filter((ref) => ref !== undefined);
}

/** FCM: the bound on fetching an access token, milliseconds. Once an hour at most. */
export const ACCESS_TOKEN_TIMEOUT_MS = 5000;

/**
 * What may pass between the start of a send and the provider's call, milliseconds: the directory's
 * answer and an access token. The lease must cover it on top of the call itself.
 */
export function preparationMs(channel: ChannelConfig): number {
  const directory =
    'recipient' in channel && channel.recipient.from === 'directory'
      ? channel.recipient.timeoutMs
      : 0;
  return directory + (channel.provider === 'fcm' ? ACCESS_TOKEN_TIMEOUT_MS : 0);
}

/** What works but deserves a second look; for deployments, `doctor` and the first log lines. */
export function channelWarnings(
  channels: Readonly<Record<string, ChannelConfig>>,
): readonly ConfigFault[] {
  return Object.entries(channels).flatMap(([name, channel]) =>
    warningsOf(channel).map(([setting, problem]) => ({
      setting: `CHANNELS.${name}.${setting}`,
      problem,
    })),
  );
}

function warningsOf(channel: ChannelConfig): readonly (readonly [string, string])[] {
  const warnings: (readonly [string, string])[] = [];
  if (channel.sendTimeoutMs < channel.commitSeconds * 1000) {
    warnings.push([
      'sendTimeoutMs',
      `is ${channel.sendTimeoutMs}, below commitSeconds (${channel.commitSeconds} s): sends are given up that the provider is still about to accept, and end as unknown`,
    ]);
  }
  if (channel.blindPolicy !== 'park') {
    const risk = channel.blindPolicy === 'resend' ? 'send twice' : 'lose a reminder';
    warnings.push([
      'blindPolicy',
      `is ${channel.blindPolicy}: where an outcome cannot be known it may ${risk}`,
    ]);
  }
  if ('recipient' in channel && channel.recipient.from === 'payload') {
    warnings.push([
      'recipient.from',
      'is payload: addresses lie in the queue and its dead letters; a directory keeps them at home',
    ]);
  }
  if ('signing' in channel && channel.signing?.previousSecretRef !== undefined) {
    warnings.push([
      'signing.previousSecretRef',
      'is set: the previous secret still signs; take it away when the overlap is over',
    ]);
  }
  return warnings;
}
