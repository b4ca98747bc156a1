import { jsonAnswer } from '../../emulator-server.ts';
import {
  bodyText,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
} from '../provider-surface.ts';

const MESSAGES = '/2010-04-01/Accounts/:account/Messages.json';

/** Form-encoded `POST …/Messages.json`. Counted by `send_key` in the status callback's address. */
export const twilioSurface: ProviderSurface = {
  name: 'twilio',
  providerClass: 'blind',
  windowMs: null,
  receiptPrefix: 'SM',
  authorised: ({ headers }) => /^Basic \S+$/.test(headers.authorization ?? ''),
  operations: [{ kind: 'send', method: 'POST', path: MESSAGES, read: readSend }],
  answers: {
    accepted: (sid) => jsonAnswer(201, { sid, status: 'queued', error_code: null }),
    noReceipt: () => jsonAnswer(201, { status: 'queued' }),
    conflict: () => refused(409, '20409'),
    inProgress: () => refused(409, '20409'),
    refused: (status, code) => refused(status, /^\d+$/.test(code) ? code : TWILIO_CODES[status]),
  },
};

const TWILIO_CODES: Readonly<Record<number, string>> = {
  401: '20003',
  403: '20003',
  404: '20404',
  422: '21614',
  429: '20429',
};

/** Twilio has no 422: an invalid request comes with 400. */
function refused(status: number, code = '20001') {
  const told = status === 422 ? 400 : status;
  return jsonAnswer(told, { code: Number(code), message: 'refused', status: told });
}

function readSend(request: ProviderRequest): SendCall {
  const from = bodyText(request, 'From') ?? bodyText(request, 'MessagingServiceSid');
  if (bodyText(request, 'To') === undefined || from === undefined) {
    return { kind: 'invalid', status: 400, code: '21604' };
  }
  const callback = URL.parse(bodyText(request, 'StatusCallback') ?? '');
  return {
    kind: 'send',
    idempotencyKey: undefined,
    key: callback?.searchParams.get('send_key') ?? '',
  };
}
