import { describe, expect, it } from 'vitest';
import { handler } from '#functions/sink/handler.ts';
import { stageSettings } from '#infra/stages.ts';
import { allowances } from '#test/support/policy-statements.ts';
import { production, resourcesOf, synthesise } from '#test/support/synthesise.ts';

const { service } = synthesise(stageSettings('dev'));
const functions = Object.entries(resourcesOf(service, 'AWS::Lambda::Function'));

describe('the test sink', () => {
  it('is a channel of the consumer, by a URL that the deployment makes', () => {
    const consumer = functions.find(([id]) => id.startsWith('PipelineConsumer'));
    const variables = JSON.stringify(consumer?.[1].Properties['Environment']);
    expect(variables).toMatch(/sink.+provider.+http.+FunctionUrl/);
  });

  it('may write its log and nothing else', () => {
    const actions = allowances(service)
      .filter(({ policy }) => policy.startsWith('TestSink'))
      .map(({ action }) => action);
    expect(new Set(actions)).toEqual(new Set(['logs:CreateLogStream', 'logs:PutLogEvents']));
  });

  it('is in no stage that does not ask for it', () => {
    const { service: without } = synthesise(production());
    without.resourceCountIs('AWS::Lambda::Url', 0);
    const { service: asked } = synthesise(production({ testSink: true }));
    asked.resourceCountIs('AWS::Lambda::Url', 1);
  });

  it('refuses a channel of its own name', () => {
    const channels = { sink: { provider: 'http', url: 'https://a.example' } } as const;
    expect(() =>
      synthesise(production({ testSink: true, channels, defaultChannel: 'sink' })),
    ).toThrow(/channels\.sink: is the name of the test sink/);
  });

  it('answers one receipt for one key, another for another, and none without', async () => {
    const ask = (key?: string) => handler({ headers: { 'idempotency-key': key } });
    const first = await ask('k1_a');
    expect(first).toMatchObject({ statusCode: 200, body: expect.stringMatching(/sink_\w{24}/) });
    expect(await ask('k1_a')).toEqual(first);
    expect((await ask('k1_b')).body).not.toBe(first.body);
    expect((await ask()).statusCode).toBe(400);
  });
});
