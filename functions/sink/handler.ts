import { createHash } from 'node:crypto';

/** What a function URL hands over, as far as it is read. Source: Lambda function URLs, payload 2.0. */
type UrlRequest = { readonly headers?: Readonly<Record<string, string | undefined>> };
type UrlAnswer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * A stand-in for a provider of class `dedupes`, for the first test of an installation: it accepts
 * whatever comes, answers one receipt per idempotency key, and keeps and logs nothing.
 */
export async function handler({ headers = {} }: UrlRequest): Promise<UrlAnswer> {
  const key = headers['idempotency-key'];
  if (!key) return answer(400, { error: 'IDEMPOTENCY_KEY_MISSING' });
  const digest = createHash('sha256').update(key).digest('hex');
  return answer(200, { id: `sink_${digest.slice(0, 24)}` });
}

function answer(statusCode: number, body: object): UrlAnswer {
  return {
    statusCode,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
