import type { AnswerStyle } from '#infra/local/queue-emulator/answer-style.ts';
import type { ProxyFault } from '#test/support/faulty-proxy.ts';
import { BEARER, EMAIL, MARK } from './planted.ts';

/** Other shapes of consume answers that clients and articles have shown. */
export const ANSWER_STYLES: readonly Partial<AnswerStyle>[] = [
  { consumeWrapper: 'messages' },
  { consumeWrapper: 'array' },
  { payloadField: 'body' },
  { payloadForm: 'json-string' },
  { idField: 'id' },
  { receiptField: 'receipt_handle' },
  { receiptField: 'receipt', deliveryCountPresent: false },
  { consumeWrapper: 'array', payloadField: 'body', payloadForm: 'json-string', idField: 'id' },
  { ackData: 'null' },
  { ackData: 'true', lateAckStatus: 200 },
];

const good = (data: unknown) => JSON.stringify({ ok: true, data, error: null, metadata: {} });
const bad = (error: unknown) => JSON.stringify({ ok: false, data: null, error, metadata: {} });

/** Answers to consume that nobody can read, or that refuse in words of their own. */
export const CONSUME_ANSWERS: readonly ProxyFault[] = [
  answer(200, ''),
  answer(200, 'null'),
  answer(200, '"text"'),
  answer(200, '[]'),
  answer(200, good(null)),
  answer(200, good(7)),
  answer(200, good(MARK)),
  answer(200, good({})),
  answer(200, good({ items: MARK })),
  answer(200, good({ items: {} })),
  answer(200, good({ items: [null, 1, MARK, [], {}, { message_id: '' }, { message_id: {} }] })),
  answer(200, good({ items: [{ payload: { user_id: MARK } }] })),
  answer(200, good({ items: [] }).slice(0, -4)),
  answer(200, `<html>${MARK}</html>`),
  answer(200, '['.repeat(200_000)),
  answer(200, `\uFEFF${good({ items: [] })}`),
  answer(200, JSON.stringify({ ok: 'yes', data: { items: [] } })),
  answer(200, bad({ code: MARK, message: `${EMAIL} ${BEARER}` })),
  answer(200, bad(`${EMAIL} ${BEARER}`)),
  answer(204, ''),
  answer(302, MARK, { location: `http://127.0.0.1:1/${MARK}` }),
  answer(400, bad({ code: 'VALIDATION_FAILED', message: MARK, details: { email: EMAIL } })),
  answer(402, bad({ code: 'INSUFFICIENT_CREDIT', message: MARK })),
  answer(429, bad({ code: 'RATE_LIMITED', message: MARK }), { 'retry-after': MARK }),
  answer(500, `Traceback ${BEARER} ${EMAIL}`),
  { kind: 'cut-answer' },
];

/** Answers of a provider that echo what they were sent, or try to write into our lines. */
export const PROVIDER_ANSWERS: readonly ProxyFault[] = [
  answer(200, JSON.stringify({ echo: BEARER, email: EMAIL })),
  answer(200, `{"id":"r1\\r\\n{\\"level\\":\\"FORGED\\"}"}`),
  answer(200, `<id>${MARK}</id>`),
  answer(400, JSON.stringify({ error: { message: `no such user ${EMAIL}`, code: MARK } })),
  answer(404, `${MARK} ${BEARER}`),
  answer(409, JSON.stringify({ message: MARK })),
  answer(422, JSON.stringify({ errors: [{ detail: EMAIL }] })),
  answer(429, MARK, { 'retry-after': `${MARK}\u00ff` }),
  answer(500, `Authorization: ${BEARER}`),
  answer(503, '['.repeat(200_000)),
];

function answer(status: number, body: string, headers?: Record<string, string>): ProxyFault {
  return { kind: 'answer', status, body, ...(headers && { headers }) };
}
