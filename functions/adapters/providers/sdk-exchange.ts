import type { SdkTransport } from '#adapters/aws/sdk-request-handler.ts';
import { tooLate } from '#adapters/providers/http-exchange.ts';
import type { Exchange, Exchanged } from '#adapters/providers/profile-sender.ts';
import { errorName } from '#core/errors.ts';
import type { SendResult } from '#core/send-result.ts';
import type { Clock, SendRequest } from '#ports';

/** Errors of the SDK before any request: nobody can be found who may sign it. */
const CREDENTIALS = /^(CredentialsProviderError|AWS_CREDENTIALS_MISSING|TokenProviderError)$/;

export type SdkExchangeOptions = {
  readonly transport: SdkTransport;
  /**
   * Makes the one SDK call over the transport, the client's own retries off (`maxAttempts: 1`): in
   * their default mode the AWS SDKs repeat a send three times after a time-out or a reset.
   */
  readonly call: (
    body: Readonly<Record<string, unknown>>,
    request: SendRequest,
  ) => Promise<unknown>;
};

/** One call by an AWS SDK, judged by what our own HTTP client saw of it. */
export function createSdkExchange(
  { transport, call }: SdkExchangeOptions,
  { clock }: { readonly clock: Clock },
): Exchange {
  return async (request, body) => {
    if (tooLate(request, clock)) return noCall({ kind: 'deferred', code: 'LEASE_TOO_SHORT' });
    const { outcomes, problem } = await transport.recorded(() => call(body, request));
    const last = outcomes.at(-1);
    if (last !== undefined) return { kind: 'called', outcome: last };
    return noCall(
      CREDENTIALS.test(errorName(problem))
        ? { kind: 'channel-stopped', code: 'AWS_CREDENTIALS_MISSING' }
        : { kind: 'deferred', code: 'SDK_MADE_NO_CALL' },
    );
  };
}

function noCall(result: SendResult): Exchanged {
  return { kind: 'no-call', result };
}
