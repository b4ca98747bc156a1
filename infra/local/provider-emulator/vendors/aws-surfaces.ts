import { jsonAnswer } from '../../emulator-server.ts';
import {
  bodyText,
  type ProviderRequest,
  type ProviderSurface,
  type SendCall,
} from '../provider-surface.ts';

const SEND_KEY_TAG = 'send_key';

/** Any signature will do; its absence will not. */
function signed({ headers }: ProviderRequest): boolean {
  return /^AWS4-HMAC-SHA256 Credential=/.test(headers.authorization ?? '');
}

/** Amazon SES v2, REST JSON: `POST /v2/email/outbound-emails`. Counted by the tag `send_key`. */
export const sesSurface: ProviderSurface = {
  name: 'ses',
  providerClass: 'blind',
  windowMs: null,
  receiptPrefix: '0107',
  authorised: signed,
  operations: [{ kind: 'send', method: 'POST', path: '/v2/email/outbound-emails', read: readMail }],
  answers: {
    accepted: (MessageId) => jsonAnswer(200, { MessageId }),
    noReceipt: () => jsonAnswer(200, {}),
    conflict: () => sesError(409, 'ConflictException'),
    inProgress: () => sesError(409, 'ConflictException'),
    refused: (status, code) => sesError(status, SES_NAMES[status] ?? code),
  },
};

const SES_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'NotFoundException',
  422: 'MessageRejected',
  429: 'TooManyRequestsException',
};

/** SES has no 422: a rejected message comes with 400. */
function sesError(status: number, name: string) {
  return jsonAnswer(status === 422 ? 400 : status, { message: name }, { 'x-amzn-errortype': name });
}

function readMail(request: ProviderRequest): SendCall {
  const { EmailTags: tags } = (request.body ?? {}) as {
    readonly EmailTags?: readonly { readonly Name?: string; readonly Value?: string }[];
  };
  if (bodyText(request, 'Destination.ToAddresses.0') === undefined) {
    return { kind: 'invalid', status: 400, code: 'BadRequestException' };
  }
  const key = tags?.find((tag) => tag.Name === SEND_KEY_TAG)?.Value ?? '';
  return { kind: 'send', idempotencyKey: undefined, key };
}

/** AWS End User Messaging SMS, AWS JSON 1.0. Counted by the context's `send_key`. */
export const awsSmsSurface: ProviderSurface = {
  name: 'aws-sms',
  providerClass: 'blind',
  windowMs: null,
  receiptPrefix: '',
  authorised: signed,
  operations: [
    {
      kind: 'send',
      method: 'POST',
      path: '/',
      matches: ({ headers }) => headers['x-amz-target'] === 'PinpointSMSVoiceV2.SendTextMessage',
      read: readText,
    },
  ],
  answers: {
    accepted: (MessageId) => jsonAnswer(200, { MessageId }),
    noReceipt: () => jsonAnswer(200, {}),
    conflict: () => smsError('ConflictException'),
    inProgress: () => smsError('ConflictException'),
    refused: (status, code) => smsError(SMS_NAMES[status] ?? code),
  },
};

const SMS_NAMES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  422: 'ValidationException',
  429: 'ThrottlingException',
};

/** The protocol answers 400 to everything that the client can mend, throttling included. */
function smsError(name: string) {
  return jsonAnswer(400, {
    __type: `com.amazonaws.pinpointsmsvoicev2#${name}`,
    Message: name,
  });
}

function readText(request: ProviderRequest): SendCall {
  if (bodyText(request, 'DestinationPhoneNumber') === undefined) {
    return { kind: 'invalid', status: 400, code: 'ValidationException' };
  }
  const key = bodyText(request, `Context.${SEND_KEY_TAG}`) ?? '';
  return { kind: 'send', idempotencyKey: undefined, key };
}
