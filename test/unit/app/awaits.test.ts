import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const APP = new URL('../../../functions/app/', import.meta.url);
/** Files of the consumer's path; the proofs wrap the ports that these call. */
const PATH = [
  'channel-gate.ts',
  'claim-delivery.ts',
  'drain-queue.ts',
  'identify-delivery.ts',
  'process-delivery.ts',
  'record-outcome.ts',
  'send-reminder.ts',
  'settle-delivery.ts',
];

/**
 * Awaits of calls that leave the process go through a port, where the boundary proof ends workers.
 * The others are inside: our own functions, the gate's turn, the drain's own end.
 */
const PORT = /^(deps\.|this\.#deps\.)?(ledger|queue|clock|sender)\.?$/;
const INSIDE = /^(gate\.enter|this\.#idle\.promise)$/;

function sourceOf(file: string): string {
  const text = readFileSync(new URL(file, APP), 'utf8');
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
}

test('a new await of the consumer’s path cannot escape the boundary proof', () => {
  const own = new Set(
    PATH.flatMap((file) =>
      [...sourceOf(file).matchAll(/async (?:function )?(#?\w+)\(/g)].map((match) => match[1]),
    ),
  );
  const escaped = PATH.flatMap((file) =>
    [...sourceOf(file).matchAll(/\bawait\s+([\w.#]+(?:\s*\.\w+)*)/g)]
      .map((match) => (match[1] ?? '').replace(/\s+/g, ''))
      .filter((callee) => !isKnown(callee, own))
      .map((callee) => `${file}: await ${callee}`),
  );
  expect(escaped).toEqual([]);
});

test('every file of the path is on the list', () => {
  const reached = new Set(['drain-queue.ts']);
  const listed = readdirSync(APP);
  for (const file of reached) {
    for (const [, next] of sourceOf(file).matchAll(/from '#app\/([\w-]+\.ts)'/g)) {
      if (next !== undefined && listed.includes(next)) reached.add(next);
    }
  }
  const withCode = [...reached].filter((file) =>
    /\b(await|async|new Promise)\b/.test(sourceOf(file)),
  );
  const unlisted = withCode.filter((file) => !PATH.includes(file));
  expect(unlisted).toEqual([]);
});

function isKnown(callee: string, own: ReadonlySet<string | undefined>): boolean {
  const [method, ...path] = callee.split('.').reverse();
  if (callee === 'new' || INSIDE.test(callee)) return true;
  if (path.length === 0) return own.has(method);
  return PORT.test(path.reverse().join('.'));
}
