import type { HttpAnswer, HttpClient, HttpOutcome } from '#adapters/http/http-call.ts';
import { type AddressKind, isAddress } from '#adapters/providers/address.ts';
import { secretAuthorizer } from '#adapters/providers/authorization.ts';
import { parseJson, readPlace } from '#adapters/providers/json-place.ts';
import type { RecipientConfig } from '#config/channels/recipient.ts';
import type { Reminder } from '#core/reminder.ts';
import { retryAfterSeconds } from '#core/retry-after.ts';
import type { SendResult } from '#core/send-result.ts';
import { textAt } from '#core/template.ts';
import type { Clock, Secrets } from '#ports';

export type RecipientReading =
  | { readonly kind: 'recipient'; readonly recipient: string }
  /** Nothing was sent: no address, or nobody to ask. */
  | { readonly kind: 'no-call'; readonly result: SendResult };

/** Where a channel's recipients come from. Addresses pass through; they are kept nowhere. */
export type RecipientSource = (reminder: Reminder) => Promise<RecipientReading>;

export type RecipientDependencies = {
  readonly http: HttpClient;
  readonly secrets: Secrets;
  readonly clock: Clock;
};

/** @param addressKind what the provider takes; anything else is rejected without a call */
export function createRecipientSource(
  config: RecipientConfig,
  addressKind: AddressKind,
  dependencies: RecipientDependencies,
): RecipientSource {
  switch (config.from) {
    case 'provider':
      return async (reminder) => ({ kind: 'recipient', recipient: reminder.userId });
    case 'payload':
      return async (reminder) =>
        checked(textAt(reminder.data, config.path.split('.')), addressKind);
    case 'directory':
      return directory(config, addressKind, dependencies);
  }
}

const NO_ADDRESS = rejected('NO_ADDRESS');
const ADDRESS_INVALID = rejected('ADDRESS_INVALID');

function checked(address: string | undefined, kind: AddressKind): RecipientReading {
  const recipient = address?.trim() ?? '';
  if (recipient === '') return NO_ADDRESS;
  return isAddress(recipient, kind) ? { kind: 'recipient', recipient } : ADDRESS_INVALID;
}

function directory(
  config: Extract<RecipientConfig, { from: 'directory' }>,
  addressKind: AddressKind,
  { http, secrets, clock }: RecipientDependencies,
): RecipientSource {
  const authorizer = secretAuthorizer(secrets, config.secretRef);
  return async (reminder) => {
    // A URL swallows the segments `.` and `..`, encoded ones too: another address would answer.
    if (/^\.{1,2}$/.test(reminder.userId)) return rejected('USER_ID_NOT_ADDRESSABLE');
    const authorization = await authorizer.authorize();
    if (authorization.kind === 'channel-stopped') {
      return stopped(`DIRECTORY_${authorization.code}`);
    }
    if (authorization.kind === 'unavailable') return deferred(`DIRECTORY_${authorization.code}`);
    const outcome = await http.call({
      method: 'GET',
      url: config.url.replaceAll('{user_id}', () => encodeURIComponent(reminder.userId)),
      headers: {
        accept: 'application/json',
        'user-agent': 'remind-once',
        ...authorization.headers,
      },
      timeoutMs: config.timeoutMs,
    });
    return judgeDirectory(outcome, config.path, addressKind, clock.now());
  };
}

/** Asking sends nothing to the user, so whatever is not an answer defers. */
function judgeDirectory(
  outcome: HttpOutcome,
  path: string,
  kind: AddressKind,
  now: number,
): RecipientReading {
  if (outcome.kind === 'invalid-request') return rejected(`DIRECTORY_${outcome.code}`);
  if (outcome.kind !== 'answer') return deferred(`DIRECTORY_${outcome.cause}`, undefined, true);
  const { status } = outcome;
  if (status === 404 || status === 410) return NO_ADDRESS;
  if (status === 401 || status === 403) return stopped(`DIRECTORY_HTTP_${status}`);
  if (status === 204) return NO_ADDRESS;
  if (status !== 200) {
    const wait = retryAfterSeconds(outcome.headers['retry-after'], outcome.headers['date'], now);
    return deferred(`DIRECTORY_HTTP_${status}`, wait, status === 429 || status >= 500);
  }
  return addressIn(outcome, path, kind);
}

function addressIn(answer: HttpAnswer, path: string, kind: AddressKind): RecipientReading {
  const body = parseJson(answer.text);
  if (typeof body !== 'object' || body === null) return deferred('DIRECTORY_BAD_ANSWER');
  const reading = readPlace(body, path);
  return checked(reading.kind === 'value' ? textAt(reading.value, []) : undefined, kind);
}

function rejected(code: string): RecipientReading {
  return { kind: 'no-call', result: { kind: 'rejected', code } };
}

function stopped(code: string): RecipientReading {
  return { kind: 'no-call', result: { kind: 'channel-stopped', code } };
}

function deferred(code: string, retryAfter?: number, overload = false): RecipientReading {
  return {
    kind: 'no-call',
    result: {
      kind: 'deferred',
      code,
      ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
      ...(overload && { overload }),
    },
  };
}
