import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkBestPractices, install } from '#infra/stacks/installation.ts';
import { stageSettings } from '#infra/stages.ts';
import { deployedContext, production, testApp } from '#test/support/synthesise.ts';

describe('best practices', () => {
  it.each(['dev', 'prod'])('cdk-nag finds nothing unacknowledged in stage %s', (stage) => {
    const app = testApp({ validated: true });
    install(app, stageSettings(stage));
    checkBestPractices(app);
    expect(() => app.synth()).not.toThrow();
  });

  it('cdk-nag is really asked: a wildcard fails the synthesis', () => {
    const app = testApp();
    checkBestPractices(app);
    const { service } = install(app, production());
    service.pipeline.functions.consumer.allow(['s3:*'], ['*']);
    expect(() => app.synth()).toThrow(/AwsSolutions-IAM5\[Action::s3:\*\]/);
  });

  it('cdk.json sets every recommended flag, and selects a stage', () => {
    const recommended = JSON.parse(
      readFileSync(
        new URL('../../node_modules/aws-cdk-lib/recommended-feature-flags.json', import.meta.url),
        'utf8',
      ),
    ) as Record<string, unknown>;
    const { stage, ...flags } = deployedContext();
    expect(stage).toBe('dev');
    expect(flags).toEqual(recommended);
  });
});
