import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  LOCAL_CONNECTION_FORMAT,
  LOCAL_CONNECTION_VARIABLE,
  type LocalConnection,
  type LocalState,
} from '#config/local-connection.ts';
import { startStageControl } from '#infra/local/stage-control.ts';
import type { LambdaProcess } from '#test/proof/real/lambda-process.ts';
import { runCommand } from '#test/support/run-command.ts';

/** What an operator looks at after such a night, for people and for scripts. */
const COMMANDS = ['status', 'dead-letters', 'unknowns', 'redrive', 'cost'] as const;

export type OperatorOutput = {
  readonly command: string;
  readonly code: number | null;
  readonly text: string;
};

/** Runs the operator's command line on a stage, and gives back all that it printed. */
export async function operatorOutput(
  env: Readonly<Record<string, string>>,
  redrive: LambdaProcess,
): Promise<readonly OperatorOutput[]> {
  const startedAt = Date.now();
  const directory = mkdtempSync(join(tmpdir(), 'remind-once-operator-'));
  const control = await startStageControl({
    state: () => stateSince(startedAt),
    invoke: async (_role, event) => {
      const invoked = await redrive.invoke(event);
      if (invoked.kind === 'done') return invoked;
      const code = invoked.kind === 'failed' ? invoked.code : 'ENDED';
      return { kind: 'failed', code, message: 'the redrive function failed' };
    },
  });
  const connection: LocalConnection = {
    format: LOCAL_CONNECTION_FORMAT,
    pid: process.pid,
    controlUrl: control.url,
    startedAt,
    offsetMs: 0,
    env,
  };
  const path = join(directory, 'stage.json');
  writeFileSync(path, JSON.stringify(connection));
  try {
    const outputs: OperatorOutput[] = [];
    for (const command of COMMANDS) {
      for (const form of [[], ['--json']]) {
        const args = [...form, '--local', command];
        const where = { [LOCAL_CONNECTION_VARIABLE]: path };
        const { code, stdout, stderr } = await runCommand('functions/ops/cli.ts', args, where);
        outputs.push({ command: args.join(' '), code, text: `${stdout}${stderr}` });
      }
    }
    return outputs;
  } finally {
    await control.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function stateSince(startedAt: number): LocalState {
  const figures = { deliveries: 0, keysClaimed: 0, takeOvers: 0, receipts: 0 };
  return {
    startedAt,
    now: Date.now(),
    schedules: { consumer: true, redrive: true, stats: true },
    invocations: {},
    durationMs: {},
    figures: { ...figures, duplicatesAbsorbed: 0, published: 0, submissions: 0 },
  };
}
