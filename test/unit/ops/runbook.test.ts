import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FINDINGS } from '#core/finding.ts';
import { createProgram } from '#functions/ops/program.ts';
import { FINDING_WORDS } from '#functions/ops/words/finding-words.ts';
import { readRunbook, shellWords } from '#test/support/runbook.ts';

const runbook = readRunbook();
const CONSTRUCTS = fileURLToPath(new URL('../../../infra/constructs/', import.meta.url));

/** What the alarm definitions link, read from their source: each names its section by a literal. */
function alarmSections(): readonly string[] {
  return readdirSync(CONSTRUCTS)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(CONSTRUCTS + file, 'utf8').matchAll(/section: '([a-z-]+)'/g),
    ])
    .map(([, section]) => section ?? '');
}

describe('infra/RUNBOOK.md', () => {
  test('has a section for every alarm, every finding and every link within it', () => {
    const alarms = alarmSections();
    expect(alarms.length).toBeGreaterThan(20);
    const findings = Object.values(FINDINGS).map((finding) => finding.runbook);
    const wanted = new Set([...alarms, ...findings, ...runbook.links]);
    expect([...wanted].filter((anchor) => !runbook.anchors.has(anchor))).toEqual([]);
  });

  test('each alarm’s section says what it means, what not to do, and the way back', () => {
    for (const anchor of new Set(alarmSections())) {
      const section = runbook.section(anchor);
      for (const part of ['**Says:**', "**Don't:**", '**Back:**']) {
        expect(section, anchor).toContain(part);
      }
    }
  });

  test('marks every command block, so that none escapes its test', () => {
    expect(runbook.unmarked).toEqual([]);
    expect(runbook.blocks.length).toBeGreaterThan(40);
  });

  test('every command that status proposes can be parsed, and every finding has a next step', async () => {
    for (const { command, next } of Object.values(FINDING_WORDS)) {
      expect(command ?? next).not.toBeNull();
      if (command === null) continue;
      const ran: string[] = [];
      const program = createProgram(async (name) => void ran.push(name));
      for (const one of [program, ...program.commands]) one.exitOverride();
      await program.parseAsync([...command.split(' '), '--local'], { from: 'user' });
      expect(ran).toEqual([command.split(' ')[0]]);
    }
  });
});

describe('commands that only AWS can answer', () => {
  const commands = runbook.blocks
    .filter(({ kind }) => kind === 'aws')
    .flatMap(({ commands: lines }) => lines);

  test.each(commands)('%s', (command) => {
    const words = shellWords(command, new Proxy({}, { get: (_, name) => String(name) }));
    const [tool, ...rest] = words;
    if (tool === 'npx')
      return expect(rest.slice(0, 2)).toEqual(['cdk', expect.stringMatching(CDK)]);
    expect(tool).toBe('aws');
    checkAwsCommand(rest);
  });
});

const CDK = /^(deploy|diff)$/;
/** Flags of the AWS CLI itself. */
const GLOBAL_FLAGS = new Set(['query', 'output', 'region', 'profile']);
/** Services without an SDK client here: name and operation are checked by eye. */
const UNCHECKED: Readonly<Record<string, readonly string[]>> = {
  logs: ['tail'],
  sqs: ['receive-message'],
};
const require = createRequire(import.meta.url);

type Schema = readonly [kind: number, namespace: string, name: string, ...rest: unknown[]];

/** Operation and flags against the SDK's own schema of the service. */
function checkAwsCommand([service = '', operation = '', ...rest]: readonly string[]): void {
  if (UNCHECKED[service] !== undefined) {
    expect(UNCHECKED[service]).toContain(operation);
    return;
  }
  const client = require(`@aws-sdk/client-${service.replace('secretsmanager', 'secrets-manager')}`);
  const schema = client[`${pascal(operation)}$`] as Schema | undefined;
  if (schema === undefined) throw new Error(`the SDK knows no ${service} ${operation}`);
  const input = (schema[4] as () => Schema)();
  const members = (input[4] as readonly string[]).map((member) => member.toLowerCase());
  const flags = rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  for (const flag of flags.filter((name) => !GLOBAL_FLAGS.has(name))) {
    expect(members, `${service} ${operation} --${flag}`).toContain(flag.replaceAll('-', ''));
  }
}

function pascal(operation: string): string {
  return operation.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) =>
    letter.toUpperCase(),
  );
}
