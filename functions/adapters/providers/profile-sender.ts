import type { HttpOutcome } from '#adapters/http/http-call.ts';
import { canonicalJson } from '#adapters/providers/canonical-json.ts';
import { type Compose, composed, SYMBOLIC_RECIPIENT } from '#adapters/providers/composition.ts';
import { judgeSend } from '#adapters/providers/judge-outcome.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import type { RecipientDependencies, RecipientSource } from '#adapters/providers/recipient.ts';
import type { Reminder } from '#core/reminder.ts';
import type { BlindPolicy, SendResult } from '#core/send-result.ts';
import type { Sender, SendRequest } from '#ports';

/** What every sender is given. */
export type SenderDependencies = RecipientDependencies;

/** One call to the provider, or the reason why none was made. */
export type Exchanged =
  | { readonly kind: 'called'; readonly outcome: HttpOutcome }
  | { readonly kind: 'no-call'; readonly result: SendResult };

export type Exchange = (
  request: SendRequest,
  body: Readonly<Record<string, unknown>>,
) => Promise<Exchanged>;

/** One channel's provider: its profile, plus what the channel's configuration adds. */
export type ProfileSenderOptions = {
  readonly profile: ProviderProfile;
  readonly sendTimeoutMs: number;
  readonly blindPolicy: BlindPolicy;
  readonly compose: Compose;
  readonly recipientOf: RecipientSource;
  readonly exchange: Exchange;
  /** Present exactly when the class is `queryable`. */
  readonly query?: NonNullable<Sender['query']>;
};

/**
 * A sender from a profile: compose, find the recipient, one call and no repeat, judged by the
 * profile's table. Its results carry codes and receipts only.
 */
export function createProfileSender(
  options: ProfileSenderOptions,
  { clock }: Pick<SenderDependencies, 'clock'>,
): Sender {
  const { profile, compose, query } = options;

  async function send(request: SendRequest): Promise<SendResult> {
    const { reminder } = request;
    if (composed(compose, reminder, SYMBOLIC_RECIPIENT).kind === 'variable-missing') {
      return VARIABLE_MISSING;
    }
    const found = await options.recipientOf(reminder);
    if (found.kind === 'no-call') return found.result;
    const message = composed(compose, reminder, found.recipient);
    if (message.kind === 'variable-missing') return VARIABLE_MISSING;
    const exchanged = await options.exchange(request, message.body);
    return exchanged.kind === 'no-call'
      ? exchanged.result
      : judgeSend(exchanged.outcome, profile, clock.now());
  }

  return {
    profile: {
      provider: profile.provider,
      providerClass: profile.providerClass,
      windowSeconds: profile.windowSeconds,
      commitSeconds: profile.commitSeconds,
      sendTimeoutMs: options.sendTimeoutMs,
      blindPolicy: options.blindPolicy,
    },
    content: (reminder) => contentOf(compose, reminder),
    send,
    ...(query !== undefined && { query }),
  };
}

/**
 * Deferred, not rejected: a template is ours and can be mended, while a REJECTED row blocks its
 * reminder for ever, and one bad deployment would burn every reminder that met it. Nothing was
 * sent; after the ladder the message waits among the dead letters.
 */
const VARIABLE_MISSING: SendResult = { kind: 'deferred', code: 'CONTENT_VARIABLE_MISSING' };

/** Canonical text of what would be sent, the recipient left out. */
function contentOf(compose: Compose, reminder: Reminder): string {
  const message = composed(compose, reminder, SYMBOLIC_RECIPIENT);
  return canonicalJson(
    message.kind === 'composed' ? message.body : { variable_missing: message.variable },
  );
}

/** The profile as a channel runs it: the commit time is the deployment's to set. */
export function withChannel(
  profile: ProviderProfile,
  channel: { readonly commitSeconds: number },
): ProviderProfile {
  return { ...profile, commitSeconds: channel.commitSeconds };
}
