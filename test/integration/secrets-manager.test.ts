import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSecretsManager } from '#adapters/aws/secrets-manager.ts';
import { SECRET_PLACEHOLDER } from '#config/secret-placeholder.ts';
import { hang, reply, type Script, startScriptedServer } from '#test/support/scripted-server.ts';

const ARN = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:push-AbCdEf';
const VALUE = 'sk_live_planted';

const cleanUps: (() => unknown)[] = [];
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** The part of Secrets Manager's JSON protocol that answers GetSecretValue. */
const holds = (text: string): Script => reply(200, { ARN, SecretString: text });
const fails = (type: string): Script =>
  reply(400, { __type: type, message: `no ${VALUE}` }, { 'x-amzn-errortype': type });

async function store(scripts: readonly [Script, ...Script[]], maxAgeSeconds = 300) {
  const server = await startScriptedServer(...scripts);
  cleanUps.push(() => server.close());
  const secrets = createSecretsManager({
    endpoint: server.url,
    maxAgeSeconds,
    requestTimeoutMs: 150,
  });
  return { server, secrets };
}

const failureOf = (reading: Promise<string>) =>
  reading.then(
    () => undefined,
    (error: unknown) => error as Error & { code: string },
  );

test('a value is read by ARN and kept', async () => {
  const { secrets, server } = await store([holds(VALUE)]);
  expect(await secrets.get(ARN)).toBe(VALUE);
  expect(await secrets.get(ARN)).toBe(VALUE);
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]?.headers['x-amz-target']).toBe('secretsmanager.GetSecretValue');
  expect(JSON.parse(server.seen[0]?.text ?? '')).toEqual({ SecretId: ARN });
});

test('a binary value is its text', async () => {
  const binary = Buffer.from(VALUE).toString('base64');
  const { secrets } = await store([reply(200, { ARN, SecretBinary: binary })]);
  expect(await secrets.get(ARN)).toBe(VALUE);
});

test('readers that start together share one request', async () => {
  const { secrets, server } = await store([holds(VALUE)]);
  const values = await Promise.all(Array.from({ length: 20 }, () => secrets.get(ARN)));
  expect(new Set(values)).toEqual(new Set([VALUE]));
  expect(server.seen).toHaveLength(1);
});

test('a rotated value is seen once the old one is over', async () => {
  const { secrets } = await store([holds('old'), holds('new')], 0);
  expect(await secrets.get(ARN)).toBe('old');
  expect(await secrets.get(ARN)).toBe('new');
});

test.each<[string, Script]>([
  ['a placeholder', holds(SECRET_PLACEHOLDER)],
  ['blank', holds('  ')],
  ['an empty answer', reply(200, { ARN })],
  ['no such secret', fails('ResourceNotFoundException')],
])(
  '%s is a missing secret, with the command that sets it, and is not kept',
  async (_what, script) => {
    const { secrets } = await store([script, holds(VALUE)]);
    const failure = await failureOf(secrets.get(ARN));
    expect(failure?.code).toBe('SECRET_MISSING');
    expect(failure?.message).toContain(`put-secret-value --secret-id '${ARN}'`);
    expect(await secrets.get(ARN)).toBe(VALUE);
  },
);

test('field report 75: a refusal is named by its error only, without the error itself', async () => {
  const { secrets } = await store([fails('AccessDeniedException'), holds(VALUE)]);
  const failure = await failureOf(secrets.get(ARN));
  expect(failure?.code).toBe('SECRET_UNREADABLE');
  expect(failure?.message).toContain('AccessDeniedException');
  expect(failure?.cause).toBeUndefined();
  expect(`${failure?.stack}`).not.toContain(VALUE);
  expect(await secrets.get(ARN)).toBe(VALUE);
});

test('a store that hangs is given up', async () => {
  const { secrets } = await store([hang]);
  expect(await failureOf(secrets.get(ARN))).toMatchObject({ code: 'SECRET_UNREADABLE' });
});
