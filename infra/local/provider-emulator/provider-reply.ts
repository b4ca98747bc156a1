import type { EpochMs } from '#core/brand.ts';
import type { RetryAfterForm } from '../retry-after-form.ts';
import type { ProviderBehaviour } from './provider-behaviour.ts';
import type { ProviderModel, Submission } from './provider-model.ts';

/** What the caller gets to see, before any vendor's wire form. */
export type ProviderReply =
  | { readonly kind: 'accepted'; readonly receipt: string; readonly replayed: boolean }
  | { readonly kind: 'no-receipt' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'in-progress' }
  | {
      readonly kind: 'deferred';
      readonly status: number;
      readonly retryAfter: RetryAfterForm | undefined;
    }
  | { readonly kind: 'rejected'; readonly status: number; readonly code: string }
  | { readonly kind: 'auth-failed'; readonly status: number }
  | { readonly kind: 'server-error'; readonly status: number }
  /** The answer to an acceptance, cut in the middle. */
  | { readonly kind: 'cut'; readonly receipt: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' };

export type TimedReply = {
  readonly reply: ProviderReply;
  /** Emulator's clock: the reply leaves no earlier. */
  readonly notBefore: EpochMs;
  /** Wall time on top. */
  readonly latencyMs: number;
};

/**
 * One call to a provider, effects included: the whole behaviour without a socket, for the HTTP
 * surface and for simulations alike.
 */
export function replyTo(
  model: ProviderModel,
  submission: Submission,
  behaviour: ProviderBehaviour | undefined,
  now: EpochMs,
): TimedReply {
  const at = (reply: ProviderReply, notBefore = now, latencyMs = 0): TimedReply => ({
    reply,
    notBefore,
    latencyMs,
  });
  const refusal = behaviour && refusalOf(behaviour);
  if (refusal !== undefined) return at(refusal);
  const result = model.submit(
    {
      ...submission,
      ...(behaviour?.kind === 'slow-commit' && { commitMs: behaviour.commitMs }),
      ...(behaviour?.kind === 'extra-receipt' && { extraReceipt: true }),
    },
    now,
  );
  const answer: ProviderReply =
    result.kind === 'accepted'
      ? { kind: 'accepted', receipt: result.receipt, replayed: result.replayed }
      : result;
  const notBefore = result.kind === 'accepted' ? Math.max(now, result.committedAt) : now;
  const latencyMs = behaviour?.kind === 'slow-answer' ? behaviour.latencyMs : 0;
  return at(disturbed(answer, behaviour), notBefore, latencyMs);
}

/**
 * The reply of a behaviour to a call that sends nothing, such as a look-up: whatever the behaviour
 * says of acceptance is left out. Undefined: answer as usual.
 */
export function replyWithoutSend(behaviour: ProviderBehaviour): ProviderReply | undefined {
  return refusalOf('accepted' in behaviour ? { ...behaviour, accepted: false } : behaviour);
}

/** The reply of a behaviour under which nothing is accepted; undefined for the others. */
function refusalOf(behaviour: ProviderBehaviour): ProviderReply | undefined {
  switch (behaviour.kind) {
    case 'defer':
      return {
        kind: 'deferred',
        status: behaviour.status ?? 429,
        retryAfter: behaviour.retryAfter,
      };
    case 'reject':
      return {
        kind: 'rejected',
        status: behaviour.status ?? 422,
        code: behaviour.code ?? 'invalid_recipient',
      };
    case 'auth-failure':
      return { kind: 'auth-failed', status: behaviour.status ?? 401 };
    case 'conflict':
    case 'in-progress':
      return { kind: behaviour.kind };
    case 'hang':
    case 'reset':
      return behaviour.accepted ? undefined : { kind: behaviour.kind };
    case 'no-receipt':
      return behaviour.accepted === false ? { kind: 'no-receipt' } : undefined;
    case 'server-error':
      return behaviour.accepted
        ? undefined
        : { kind: 'server-error', status: behaviour.status ?? 500 };
    default:
      return undefined;
  }
}

/** What becomes of the answer on its way back, once the provider has decided. */
function disturbed(answer: ProviderReply, behaviour: ProviderBehaviour | undefined): ProviderReply {
  switch (behaviour?.kind) {
    case 'hang':
    case 'reset':
      return { kind: behaviour.kind };
    case 'server-error':
      return { kind: 'server-error', status: behaviour.status ?? 500 };
    case 'cut':
      return answer.kind === 'accepted' ? { kind: 'cut', receipt: answer.receipt } : answer;
    case 'no-receipt':
      return answer.kind === 'accepted' ? { kind: 'no-receipt' } : answer;
    default:
      return answer;
  }
}
