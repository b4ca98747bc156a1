import { jsonAnswer } from '../../emulator-server.ts';
import {
  bearerToken,
  bodyText,
  headerValue,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
} from '../provider-surface.ts';

/** `POST /emails`, `GET /emails/{id}`, with Resend's error names. */
export const resendSurface: ProviderSurface = {
  name: 'resend',
  providerClass: 'dedupes',
  windowMs: 86_400_000,
  receiptPrefix: '',
  authorised: (request) => bearerToken(request) !== undefined,
  operations: [
    { kind: 'send', method: 'POST', path: '/emails', read: readSend },
    {
      kind: 'ask',
      method: 'GET',
      path: '/emails/:id',
      answer: ({ params }, model, now) => {
        const found = model.findByReceipt(params['id'] ?? '', now);
        return found.kind === 'found'
          ? jsonAnswer(200, { object: 'email', id: found.record.receipt, last_event: 'delivered' })
          : refused(404, 'not_found');
      },
    },
  ],
  answers: {
    accepted: (id) => jsonAnswer(200, { id }),
    noReceipt: () => jsonAnswer(200, {}),
    conflict: () => refused(409, 'invalid_idempotent_request'),
    inProgress: () => refused(409, 'concurrent_idempotent_requests'),
    refused: (status, code) => refused(status, RESEND_NAMES[status] ?? code),
  },
};

const RESEND_NAMES: Readonly<Record<number, string>> = {
  401: 'missing_api_key',
  403: 'invalid_api_key',
  422: 'validation_error',
  429: 'rate_limit_exceeded',
};

function refused(status: number, name: string) {
  return jsonAnswer(status, { statusCode: status, name, message: name });
}

function readSend(request: ProviderRequest): SendCall {
  const { to, from } = (request.body ?? {}) as { readonly to?: unknown; readonly from?: unknown };
  if (!Array.isArray(to) || to.length !== 1 || typeof from !== 'string') {
    return { kind: 'invalid', status: 422, code: 'validation_error' };
  }
  if (bodyText(request, 'html') === undefined && bodyText(request, 'text') === undefined) {
    return { kind: 'invalid', status: 422, code: 'validation_error' };
  }
  const key = headerValue(request, 'idempotency-key');
  if (key !== undefined && key.length > 256) {
    return { kind: 'invalid', status: 400, code: 'invalid_idempotency_key' };
  }
  return { kind: 'send', idempotencyKey: key, key: key ?? '' };
}
