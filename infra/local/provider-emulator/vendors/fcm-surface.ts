import { jsonAnswer } from '../../emulator-server.ts';
import {
  bearerToken,
  bodyText,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
} from '../provider-surface.ts';

/** Google's token endpoint in the fault plan. */
export const FCM_TOKEN_ROUTE = 'fcm.token';
const ACCESS_TOKEN = 'ya29.emulated-access-token';
const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';

/** `POST /v1/projects/{project}/messages:send`, and `POST /token`. Counted by the Android tag. */
export const fcmSurface: ProviderSurface = {
  name: 'fcm',
  providerClass: 'blind',
  windowMs: null,
  receiptPrefix: 'projects/emulated/messages/0:',
  authorised: (request) => bearerToken(request) === ACCESS_TOKEN,
  operations: [
    { kind: 'send', method: 'POST', path: '/v1/projects/:project/messages:send', read: readSend },
    {
      kind: 'ask',
      method: 'POST',
      path: '/token',
      route: FCM_TOKEN_ROUTE,
      open: true,
      answer: (request) =>
        /^[\w-]+\.[\w-]+\.[\w-]+$/.test(bodyText(request, 'assertion') ?? '')
          ? jsonAnswer(200, { access_token: ACCESS_TOKEN, expires_in: 3599, token_type: 'Bearer' })
          : jsonAnswer(400, { error: 'invalid_grant' }),
    },
  ],
  answers: {
    accepted: (name) => jsonAnswer(200, { name }),
    noReceipt: () => jsonAnswer(200, {}),
    conflict: () => refused(409, 'ABORTED'),
    inProgress: () => refused(409, 'ABORTED'),
    refused: (status, code) => refused(status, FCM_CODES[status] ?? code),
  },
};

const FCM_CODES: Readonly<Record<number, string>> = {
  401: 'THIRD_PARTY_AUTH_ERROR',
  403: 'PERMISSION_DENIED',
  404: 'UNREGISTERED',
  422: 'INVALID_ARGUMENT',
  429: 'QUOTA_EXCEEDED',
};

/** FCM has no 422: an invalid argument comes with 400. */
function refused(status: number, errorCode: string) {
  const code = status === 422 ? 400 : status;
  return jsonAnswer(code, {
    error: { code, status: errorCode, details: [{ '@type': FCM_ERROR, errorCode }] },
  });
}

function readSend(request: ProviderRequest): SendCall {
  if (bodyText(request, 'message.token') === undefined) {
    return { kind: 'invalid', status: 422, code: 'INVALID_ARGUMENT' };
  }
  const key = bodyText(request, 'message.android.notification.tag') ?? '';
  return { kind: 'send', idempotencyKey: undefined, key };
}
