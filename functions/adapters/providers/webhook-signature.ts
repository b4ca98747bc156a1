import { createHmac } from 'node:crypto';
import type { Headers } from '#adapters/providers/authorization.ts';
import type { EpochMs } from '#core/brand.ts';

/** A secret with this prefix is base64, as the verification libraries expect it. */
const BASE64_PREFIX = 'whsec_';

/**
 * Signature headers of an outbound webhook by the Standard Webhooks specification (version 1,
 * symmetric): HMAC-SHA256 over `<id>.<timestamp>.<body>`, base64, behind `v1,`. The id is the send
 * key, so that it is the same on every attempt; the timestamp (epoch seconds) is the attempt's own,
 * so that a receiver may refuse old ones. With several secrets each signs, blanks in between: a
 * receiver that holds any of them finds its signature (rotation, field report 80).
 */
export function webhookSignature(
  id: string,
  now: EpochMs,
  body: string,
  secrets: readonly string[],
): Headers {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', keyBytes(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${digest.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function keyBytes(secret: string): Buffer {
  return secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
