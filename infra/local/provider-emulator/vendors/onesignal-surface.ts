import { jsonAnswer } from '../../emulator-server.ts';
import {
  bodyText,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
} from '../provider-surface.ts';

/** The strictest reading of the documentation: version 3 or 4. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[34][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** A user with this External ID has no subscribed device. */
export const UNSUBSCRIBED_USER = 'unsubscribed';

/** `POST /notifications`, `GET /notifications/{id}`. A call without a user is answered 200 and ''. */
export const oneSignalSurface: ProviderSurface = {
  name: 'onesignal',
  providerClass: 'dedupes',
  windowMs: 30 * 86_400_000,
  receiptPrefix: '',
  authorised: ({ headers }) => /^Key \S+$/.test(headers.authorization ?? ''),
  operations: [
    { kind: 'send', method: 'POST', path: '/notifications', read: readSend },
    {
      kind: 'ask',
      method: 'GET',
      path: '/notifications/:id',
      answer: ({ params }, model, now) => {
        const found = model.findByReceipt(params['id'] ?? '', now);
        return found.kind === 'found'
          ? jsonAnswer(200, { id: found.record.receipt, successful: 1 })
          : errors(404, 'Notification not found');
      },
    },
  ],
  answers: {
    accepted: (id) => jsonAnswer(200, { id, external_id: null }),
    noReceipt: () => jsonAnswer(200, {}),
    conflict: () => errors(409, 'idempotency_key was used with another request'),
    inProgress: () => errors(409, 'a request with this idempotency_key is in progress'),
    refused: errors,
  },
};

function errors(status: number, message: string) {
  return jsonAnswer(status, { ...(status === 200 && { id: '' }), errors: [message] });
}

function readSend(request: ProviderRequest): SendCall {
  const key = bodyText(request, 'idempotency_key');
  if (key !== undefined && !UUID.test(key)) {
    return { kind: 'invalid', status: 400, code: 'idempotency_key must be a UUID' };
  }
  const user = bodyText(request, 'include_aliases.external_id.0');
  if (user === undefined || bodyText(request, 'app_id') === undefined) {
    return { kind: 'invalid', status: 400, code: 'app_id and a recipient are required' };
  }
  if (user === UNSUBSCRIBED_USER) {
    return { kind: 'invalid', status: 200, code: 'All included players are not subscribed' };
  }
  return { kind: 'send', idempotencyKey: key, key: key ?? '' };
}
