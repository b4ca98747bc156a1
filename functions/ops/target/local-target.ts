import { readFileSync } from 'node:fs';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import {
  LOCAL_CONNECTION_FILE,
  LOCAL_CONNECTION_VARIABLE,
  type LocalConnection,
  type LocalState,
  localConnectionSchema,
  localStateSchema,
} from '#config/local-connection.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Clock } from '#ports';
import { openSecrets } from '#wiring/open-secrets.ts';
import { localChecks } from './local-checks.ts';
import { SILENT, type Target } from './target.ts';

const START_ONE = 'start one in another terminal with: npm run stage';

/** The local stage that runs in another process, by its connection file. */
export async function openLocalTarget(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Target> {
  const path = env[LOCAL_CONNECTION_VARIABLE] ?? LOCAL_CONNECTION_FILE;
  const connection = readConnection(path);
  await readState(connection, path);
  // The ledger's client reads endpoint, region and credentials from the process, as in Lambda.
  for (const [name, value] of Object.entries(connection.env)) {
    if (name.startsWith('AWS_')) process.env[name] = value;
  }
  const environment = connection.env;
  return {
    kind: 'local',
    stage: 'local',
    id: `local-${connection.startedAt}`,
    environments: { consumer: environment, redrive: environment, stats: environment },
    clock: shiftedClock(connection.offsetMs),
    random: systemRandom,
    secrets: openSecrets(environment),
    telemetry: SILENT,
    invokeRedrive: (event) => invokeRedrive(connection, event),
    platformChecks: async () => localChecks(await readState(connection, path)),
    async usage() {
      const { startedAt, now, invocations, durationMs, figures } = await readState(
        connection,
        path,
      );
      return {
        source: 'tallies of the local stage, since it started',
        seconds: Math.max(1, Math.round((now - connection.offsetMs - startedAt) / 1000)),
        invocations,
        durationMs,
        memoryMb: {},
        writeUnits: null,
        readUnits: null,
        ...figures,
      };
    },
  };
}

function readConnection(path: string): LocalConnection {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw noStage(`no local stage runs: there is no ${path}`);
  }
  try {
    return localConnectionSchema.parse(JSON.parse(text));
  } catch {
    throw noStage(`${path} is not the connection file of a local stage`);
  }
}

async function readState({ controlUrl }: LocalConnection, path: string): Promise<LocalState> {
  try {
    const answer = await fetch(`${controlUrl}/state`, { signal: AbortSignal.timeout(5000) });
    return localStateSchema.parse(await answer.json());
  } catch {
    throw noStage(`no local stage runs: the one that ${path} names does not answer`);
  }
}

function noStage(seen: string): OpsError {
  return new OpsError(EXIT.target, 'NO_LOCAL_STAGE', `${seen}; ${START_ONE}`);
}

async function invokeRedrive(connection: LocalConnection, event: object): Promise<RedriveReport> {
  const answer = (await fetch(`${connection.controlUrl}/invoke/redrive`, {
    method: 'POST',
    body: JSON.stringify(event),
  }).then((response) => response.json())) as
    | { readonly kind: 'done'; readonly result: RedriveReport }
    | { readonly kind: 'failed'; readonly code: string; readonly message: string };
  if (answer.kind === 'done') return answer.result;
  throw new OpsError(EXIT.backend, answer.code, `the redrive function failed: ${answer.message}`);
}

/** The stage's own clock: the wall's, shifted as the stage was started. */
function shiftedClock(offsetMs: number): Clock {
  return {
    now: () => systemClock.now() + offsetMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
}
