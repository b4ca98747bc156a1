import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestSigner } from '#adapters/aws/request-signature.ts';

/** The SDK's own signer is the yardstick: what it signs, AWS accepts. */
async function signedBySdk(request: {
  readonly region: string;
  readonly service: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  readonly at: number;
}): Promise<Record<string, string>> {
  const { region, service, credentials } = request;
  const signer = new SignatureV4({
    region,
    service,
    credentials,
    sha256: Sha256,
    applyChecksum: false,
  });
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: request.host,
      path: '/',
      headers: { ...request.headers, host: request.host },
      body: request.body,
    },
    { signingDate: new Date(request.at) },
  );
  return signed.headers as Record<string, string>;
}

class Sha256 {
  readonly #state;
  constructor(secret?: unknown) {
    this.#state =
      secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string);
  }
  update(data: unknown): void {
    this.#state.update(data as string);
  }
  async digest(): Promise<Uint8Array> {
    return this.#state.digest();
  }
  reset(): void {}
}

const word = fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/);
const requests = fc.record({
  region: fc.constantFrom('eu-central-1', 'us-east-1', 'cn-north-1'),
  service: fc.constantFrom('dynamodb', 'secretsmanager'),
  host: fc.constantFrom('dynamodb.eu-central-1.amazonaws.com', '127.0.0.1:8000'),
  headers: fc.record({
    'content-type': fc.constantFrom('application/x-amz-json-1.0', 'application/x-amz-json-1.1'),
    'x-amz-target': fc.stringMatching(/^[A-Za-z0-9_.]{1,60}$/),
  }),
  body: fc.oneof(fc.string({ unit: 'grapheme' }), fc.json()),
  credentials: fc.record(
    { accessKeyId: word, secretAccessKey: word, sessionToken: word },
    { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
  ),
  at: fc.integer({ min: 0, max: 4_102_444_799_999 }),
});

describe('request signature', () => {
  it('is the one that the SDK makes', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { region, service, credentials, at } = request;
        const ours = new RequestSigner(region, service).sign(request, credentials, at);
        const { host: _host, ...theirs } = await signedBySdk(request);
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 300 },
    );
  });

  it('follows a change of day, of secret and of token with one signer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 2, maxLength: 6 }), async (several) => {
        const signer = new RequestSigner('eu-central-1', 'dynamodb');
        for (const request of several) {
          const same = { ...request, region: 'eu-central-1', service: 'dynamodb' };
          const { host: _host, ...theirs } = await signedBySdk(same);
          expect(signer.sign(same, same.credentials, same.at)).toEqual(theirs);
        }
      }),
      { numRuns: 100 },
    );
  });
});
