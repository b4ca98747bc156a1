import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import type { Ran, Session } from '#functions/ops/session.ts';

export type ProveFlags = {
  readonly seed?: number;
  readonly short?: boolean;
  readonly part?: readonly string[];
  /** Markdown; the proofs write JSON beside it. */
  readonly report: string;
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
  const { seed, short, part, report } = flags;
  const json = report.replace(/\.[^./]*$/, '.json');
  mkdirSync(dirname(report), { recursive: true });
  // An older verdict must not be taken for this one's.
  rmSync(json, { force: true });
  const args = [
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...(short === true ? ['--short'] : []),
    ...(part === undefined ? [] : ['--part', ...part]),
    ...['--report', report],
  ];
  const lines = session.out.json ? 2 : 1;
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', lines, 2] });
  const [code] = (await once(child, 'close')) as [number | null];
  const proof = readReport(json);
  if (proof === null) {
    throw new OpsError(
      EXIT.usage,
      'PROOF_NOT_RUN',
      `the proofs wrote no report (exit code ${code}); they say why above`,
    );
  }
  return {
    exit: code === 0 ? EXIT.ok : EXIT.attention,
    data: { report, proof },
    show: () => {},
  };
}

function readReport(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
