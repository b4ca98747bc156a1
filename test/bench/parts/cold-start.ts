import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BackendsMessage, BackendsReply, BackendUrls } from '../backends/backends-process.ts';
import type { ColdStart } from '../cold-start/probe.ts';
import { productEnvironment } from '../contestants/product-environment.ts';
import { bundle } from '../measure/bundle.ts';
import { type AskableChild, startChild } from '../measure/child-calls.ts';
import { median, type Spread, spreadOf } from '../measure/statistics.ts';
import { NONE } from './drain-rate.ts';

/** The artefacts, by the modules that they are made of. */
export const ARTEFACTS = {
  empty: { entry: 'test/bench/cold-start/empty-handler.ts', reminders: 0 },
  'ledger calls': { entry: 'test/bench/cold-start/ledger-calls-handler.ts', reminders: 0 },
  idempotency: { entry: 'test/bench/cold-start/idempotency-handler.ts', reminders: 1 },
  consumer: { entry: 'functions/consumer/handler.ts', reminders: 1 },
  redrive: { entry: 'functions/redrive/handler.ts', reminders: 0 },
  'stats-alarm': { entry: 'functions/stats-alarm/handler.ts', reminders: 0 },
} as const;
export type ArtefactName = keyof typeof ARTEFACTS;

export type ArtefactStart = {
  readonly artefact: ArtefactName;
  readonly rawKb: number;
  readonly gzipKb: number;
  readonly importMs: Spread;
  readonly firstInvocationMs: Spread;
  readonly totalMs: Spread;
  readonly cpuMs: Spread;
  readonly rssMb: number;
};

export type ColdStarts = {
  readonly starts: readonly ArtefactStart[];
  /** 0: as fast as the empty handler; 1: as slow as Powertools Idempotency. Round by round. */
  readonly consumerBetween: Spread;
  /** The same of a function that does nothing but make the ledger's two calls. */
  readonly ledgerCallsBetween: Spread;
};

type Backends = AskableChild<BackendsMessage, BackendsReply>;

/** Import and first invocation of every artefact in fresh processes, one after the other. */
export async function measureColdStarts(
  rounds: number,
  progress: (text: string) => void,
): Promise<ColdStarts> {
  const directory = mkdtempSync(join(tmpdir(), 'remind-once-cold-'));
  const module = new URL('../backends/backends-process.ts', import.meta.url);
  const backends = await startChild<BackendsMessage, BackendsReply>(module, [], {});
  if (backends.greeting.kind !== 'listening') throw new Error('the backends did not start');
  const env = environmentOf(backends.greeting.urls);
  const samples = new Map<ArtefactName, ColdStart[]>();
  const names = Object.keys(ARTEFACTS) as ArtefactName[];
  try {
    for (const name of names) {
      await bundle(ARTEFACTS[name].entry, join(directory, `${name}.mjs`));
    }
    for (let round = 0; round <= rounds; round += 1) {
      progress(`cold starts, round ${round} of ${rounds}`);
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const start = await startOnce(name, join(directory, `${name}.mjs`), backends, env, round);
        // Round 0 fills the disk's cache.
        if (round > 0) samples.set(name, [...(samples.get(name) ?? []), start]);
      }
    }
    return {
      starts: names.map((name) => summary(name, directory, samples.get(name) ?? [])),
      consumerBetween: between(samples, 'consumer'),
      ledgerCallsBetween: between(samples, 'ledger calls'),
    };
  } finally {
    await backends.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startOnce(
  name: ArtefactName,
  path: string,
  backends: Backends,
  env: Readonly<Record<string, string>>,
  round: number,
): Promise<ColdStart> {
  const { reminders } = ARTEFACTS[name];
  const load = { reminders, copies: 1, batch: `cold-${name}-${round}` };
  await backends.ask({ kind: 'prepare', load, latencies: NONE });
  const probe = new URL('../cold-start/probe.ts', import.meta.url);
  const child = await startChild<never, ColdStart>(probe, [`file://${path}`], env);
  await child.close();
  return child.greeting;
}

function environmentOf(urls: BackendUrls): Readonly<Record<string, string>> {
  const settings = { queueUrl: urls.queue, providerUrl: urls.provider };
  return {
    ...productEnvironment(settings, 32, 'secrets-manager'),
    PROVIDER_URL: urls.provider,
    AWS_ENDPOINT_URL_DYNAMODB: urls.table,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: urls.table,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
  };
}

function summary(
  artefact: ArtefactName,
  directory: string,
  starts: readonly ColdStart[],
): ArtefactStart {
  const text = readFileSync(join(directory, `${artefact}.mjs`));
  return {
    artefact,
    rawKb: text.length / 1000,
    gzipKb: gzipSync(text, { level: 9 }).length / 1000,
    importMs: spreadOf(starts.map((start) => start.importMs)),
    firstInvocationMs: spreadOf(starts.map((start) => start.firstInvocationMs)),
    totalMs: spreadOf(starts.map(totalMs)),
    cpuMs: spreadOf(starts.map((start) => start.cpuMs)),
    rssMb: median(starts.map((start) => start.rssMb)),
  };
}

function totalMs(start: ColdStart): number {
  return start.importMs + start.firstInvocationMs;
}

function between(
  samples: ReadonlyMap<ArtefactName, readonly ColdStart[]>,
  artefact: ArtefactName,
): Spread {
  const [floor, yardstick, ours] = (['empty', 'idempotency', artefact] as const).map((name) =>
    (samples.get(name) ?? []).map(totalMs),
  ) as [number[], number[], number[]];
  return spreadOf(
    ours.map((total, i) => (total - (floor[i] ?? 0)) / ((yardstick[i] ?? 0) - (floor[i] ?? 0))),
  );
}
