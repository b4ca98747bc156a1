import { jsonAnswer } from '../../emulator-server.ts';
import {
  bearerToken,
  bodyText,
  headerValue,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
} from '../provider-surface.ts';

const DAY_MS = 86_400_000;

/** `POST /v1/email/send`, `GET /v1/email/get/{id}`, in Infrai's envelope. */
export const infraiEmailSurface = infraiSurface('infrai-email', {
  module: 'email',
  lookUp: '/v1/email/get/:id',
  receipt: 'email_id',
  needed: ['to', 'subject'],
});

/** `POST /v1/sms/send`, `GET /v1/sms/status/{id}`. */
export const infraiSmsSurface = infraiSurface('infrai-sms', {
  module: 'sms',
  lookUp: '/v1/sms/status/:id',
  receipt: 'sms_id',
  needed: ['to', 'body'],
});

type Module = {
  readonly module: string;
  readonly lookUp: string;
  readonly receipt: string;
  readonly needed: readonly string[];
};

function infraiSurface(name: string, { module, lookUp, receipt, needed }: Module): ProviderSurface {
  const ok = (data: unknown) => jsonAnswer(200, { ok: true, data, error: null, metadata: {} });
  const refused = (status: number, code: string) =>
    jsonAnswer(status, { ok: false, data: null, error: { code, message: code }, metadata: {} });
  return {
    name,
    providerClass: 'dedupes',
    windowMs: DAY_MS,
    receiptPrefix: `${module}_`,
    authorised: (request) => bearerToken(request) !== undefined,
    operations: [
      {
        kind: 'send',
        method: 'POST',
        path: `/v1/${module}/send`,
        read: (request) => readSend(request, needed),
      },
      {
        kind: 'ask',
        method: 'GET',
        path: lookUp,
        answer: ({ params }, model, now) => {
          const found = model.findByReceipt(params['id'] ?? '', now);
          return found.kind === 'found'
            ? ok({ [receipt]: found.record.receipt, state: 'sent' })
            : refused(404, 'NOT_FOUND');
        },
      },
    ],
    answers: {
      accepted: (id) => ok({ [receipt]: id, state: 'queued', vendor: 'emulated' }),
      noReceipt: () => ok({}),
      conflict: () => refused(409, 'IDEMPOTENCY_KEY_REUSED'),
      inProgress: () => refused(409, 'REQUEST_IN_PROGRESS'),
      refused: (status, code) => refused(status, INFRAI_CODES[status] ?? code.toUpperCase()),
    },
  };
}

const INFRAI_CODES: Readonly<Record<number, string>> = {
  402: 'INSUFFICIENT_CREDIT',
  429: 'RATE_LIMITED',
};

function readSend(request: ProviderRequest, needed: readonly string[]): SendCall {
  if (needed.some((member) => bodyText(request, member) === undefined)) {
    return { kind: 'invalid', status: 422, code: 'INVALID_REQUEST' };
  }
  const key = headerValue(request, 'idempotency-key') ?? bodyText(request, 'idempotency_key');
  return { kind: 'send', idempotencyKey: key, key: key ?? '' };
}
