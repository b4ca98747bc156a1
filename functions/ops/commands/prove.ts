import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Ran, Session } from '#functions/ops/session.ts';

export type ProveFlags = {
  readonly seed?: number;
  readonly short?: boolean;
  readonly part?: readonly string[];
  readonly report?: string;
};

const PROOFS = 'test/proof/prove.ts';

/** Runs the proofs of the repository in a process of their own and hands on their verdict. */
export async function prove(session: Session, flags: ProveFlags): Promise<Ran> {
  const entry = resolve(PROOFS);
  if (!existsSync(entry)) {
    throw new OpsError(
      EXIT.target,
      'NO_PROOFS',
      `there is no ${PROOFS} here; the proofs run in a clone of the repository, from its root`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'remind-once-proof-'));
  const report = flags.report ?? join(folder, 'proof.md');
  const args = [
    ...(flags.seed === undefined ? [] : ['--seed', String(flags.seed)]),
    ...(flags.short === true ? ['--short'] : []),
    ...(flags.part === undefined ? [] : ['--part', ...flags.part]),
    ...['--report', report],
  ];
  try {
    const lines = session.out.json ? 2 : 1;
    const child = spawn(process.execPath, [entry, ...args], {
      stdio: ['ignore', lines, 2],
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0 && code !== 1) {
      throw new OpsError(EXIT.bug, 'PROOF_ENDED', `the proofs ended with exit code ${code}`);
    }
    const proof = readReport(report);
    if (code !== 0 && proof === null) {
      throw new OpsError(EXIT.usage, 'PROOF_NOT_RUN', 'the proofs did not run; they say why above');
    }
    return {
      exit: code === 0 ? EXIT.ok : EXIT.attention,
      data: { proof },
      show: () => {},
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The proofs write JSON beside their Markdown. */
function readReport(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path.replace(/\.[^./]*$/, '.json'), 'utf8'));
  } catch {
    return null;
  }
}
