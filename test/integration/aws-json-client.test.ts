import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { awsPlace } from '#adapters/aws/aws-endpoint.ts';
import { createAwsJsonClient } from '#adapters/aws/aws-json-client.ts';
import { createHttpClient } from '#adapters/http/http-call.ts';
import {
  hang,
  reply,
  resetAfterReading,
  type Script,
  startScriptedServer,
} from '#test/support/scripted-server.ts';

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: 'token' };

async function client(scripts: readonly [Script, ...Script[]], maxAttempts = 3) {
  const server = await startScriptedServer(...scripts);
  const http = createHttpClient({ maxSockets: 4 });
  onTestFinished(async () => {
    http.close();
    await server.close();
  });
  const { call } = createAwsJsonClient({
    ...{ service: 'dynamodb', region: 'eu-central-1', endpoint: server.url },
    ...{ targetPrefix: 'DynamoDB_20120810', jsonVersion: '1.0', http, maxAttempts },
    credentials: async () => CREDENTIALS,
    attemptTimeoutMs: 200,
  });
  return { call, server };
}

const refuses = (status: number, name: string): Script =>
  reply(status, { __type: `x#${name}`, detail: 1 });

describe('a call to an AWS service', () => {
  it('is a signed POST of JSON with its target', async () => {
    const { call, server } = await client([reply(200, { yes: true })]);
    expect(await call('PutItem', { a: 'é' })).toEqual({ kind: 'answer', output: { yes: true } });
    const [seen] = server.seen;
    expect(seen?.text).toBe('{"a":"é"}');
    expect(seen?.headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.PutItem',
      'x-amz-security-token': 'token',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
      ) as string,
    });
  });

  it.each<[string, Script]>([
    ['a server error', refuses(500, 'InternalServerError')],
    ['a page of a gateway', reply(503, '<html>')],
    ['a throttle', refuses(400, 'ProvisionedThroughputExceededException')],
    ['too many requests', reply(429, {})],
    ['a reset', resetAfterReading],
    ['silence', hang],
  ])('is repeated after %s', async (_what, script) => {
    const { call, server } = await client([script, reply(200, {})]);
    expect(await call('GetItem', {})).toEqual({ kind: 'answer', output: {} });
    expect(server.seen).toHaveLength(2);
  });

  it.each<[string, Script, object]>([
    ['a refusal', refuses(400, 'ValidationException'), { name: 'ValidationException' }],
    ['an unnamed refusal', reply(403, 'no'), { name: 'HTTP_403' }],
    ['an odd name', refuses(400, 'no name at all'), { name: 'HTTP_400' }],
    ['a 200 that is no JSON', reply(200, 'ok'), { code: 'ANSWER_UNREADABLE' }],
    ['a 200 that is no object', reply(200, '[]'), { code: 'ANSWER_UNREADABLE' }],
  ])('is not repeated after %s', async (_what, script, answer) => {
    const { call, server } = await client([script, reply(200, {})]);
    expect(await call('PutItem', {})).toMatchObject(answer);
    expect(server.seen).toHaveLength(1);
  });

  it('ends with the last answer when its attempts are used up', async () => {
    const { call, server } = await client([refuses(500, 'InternalServerError')], 2);
    expect(await call('PutItem', {})).toEqual({
      kind: 'refused',
      name: 'InternalServerError',
      output: { __type: 'x#InternalServerError', detail: 1 },
    });
    expect(server.seen).toHaveLength(2);
  });

  it('is not repeated once it is given up', async () => {
    const { call, server } = await client([hang], 3);
    const given = AbortSignal.timeout(50);
    expect(await call('PutItem', {}, given)).toEqual({ kind: 'no-answer', code: 'ABORTED' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('where a service is called', () => {
  it.each([
    ['eu-central-1', 'https://dynamodb.eu-central-1.amazonaws.com'],
    ['cn-north-1', 'https://dynamodb.cn-north-1.amazonaws.com.cn'],
  ])('%s', (region, endpoint) => {
    vi.stubEnv('AWS_REGION', region);
    vi.stubEnv('AWS_ENDPOINT_URL', '');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(awsPlace('dynamodb', 'DYNAMODB')).toEqual({ region, endpoint });
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    expect(awsPlace('dynamodb', 'DYNAMODB').endpoint).toBe('http://127.0.0.1:1');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:2');
    expect(awsPlace('dynamodb', 'DYNAMODB').endpoint).toBe('http://127.0.0.1:2');
  });

  it('without a region says what to set', () => {
    vi.stubEnv('AWS_REGION', '');
    vi.stubEnv('AWS_DEFAULT_REGION', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => awsPlace('dynamodb', 'DYNAMODB')).toThrow(/AWS_REGION is not set/);
  });
});
