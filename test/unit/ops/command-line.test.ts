import { describe, expect, test } from 'vitest';
import { confirm } from '#functions/ops/confirm.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { main } from '#functions/ops/main.ts';
import { oneLine } from '#functions/ops/ops-error.ts';
import { Output } from '#functions/ops/output.ts';
import { fakeTerminal } from '#test/support/fake-terminal.ts';

async function ops(...args: readonly string[]) {
  const { terminal, written } = fakeTerminal({ REMIND_ONCE_LOCAL_STAGE: '/nonexistent' });
  return { code: await main(args, terminal), ...written() };
}

const KEY = `k1_${'0'.repeat(64)}`;
const named = ['--user', 'planted', '--reminder', 'r', '--at', '2026-07-26T09:00:00Z'];

describe('a wrong command line ends in one line, exit code 2, and no call', () => {
  test.each([
    [['status', '--bogus'], "unknown option '--bogus'"],
    [['statsu', '--local'], "unknown command 'statsu'"],
    [['status'], 'no target; give --stage'],
    [['status', '--local', '--stage', 'prod'], 'exclude each other'],
    [['status', '--stage', 'a b'], 'allowed: a name'],
    [['status', 'extra', '--local'], 'too many arguments'],
    [['unknowns', '--limit', '0', '--local'], 'whole number from 1'],
    [['explain', '--local'], 'give --user, --reminder and --at together, or --key'],
    [['explain', '--local', '--user', 'u'], 'together, or --key'],
    [['explain', '--local', '--key', 'k1_short'], 'no send key'],
    [['explain', '--local', '--key', KEY, ...named], 'exclude each other'],
    [['publish', '--local'], 'give --file, or --user'],
    [['publish', '--local', '--file', 'x', '--user', 'u'], 'exclude each other'],
    [['publish', '--local', '--file', '/nonexistent'], 'could not be read as ndjson (ENOENT)'],
    [['publish', '--local', '--file', '.'], 'could not be read as ndjson (EISDIR)'],
    [
      ['publish', '--local', '--file', 'README.md', '--format', 'csv'],
      'as csv (INVALID_OPENING_QUOTE',
    ],
    [['publish', '--local', ...named, '--data', '{'], '--data is not JSON'],
    [['publish', '--local', ...named, '--delay', '604801'], '0 to 604800'],
    [['publish', '--local', ...named, '--again', 'Über'], 'allowed: a label'],
    [['redrive', '--local', '--state', 'LOST'], 'filter.state: allowed:'],
    [['redrive', '--local', '--older-than', 'yesterday'], 'RFC 3339'],
    [['redrive', '--local', '--max', '0'], '1 to 10000'],
    [['resolve', 'perhaps', '--local'], 'Allowed choices are sent, not-sent, assumed-sent'],
    [['resolve', 'sent', '--local', '--key', KEY, '--reason', 'x'], 'sent needs --receipt'],
    [['resolve', 'not-sent', '--local', '--key', KEY], '--reason is missing'],
    [
      ['resolve', 'not-sent', '--local', '--key', KEY, '--reason', 'a@example.test'],
      '--reason is missing or holds nothing',
    ],
    [
      ['resolve', 'not-sent', '--local', '--key', KEY, '--reason', 'x', '--receipt', 'r'],
      '--receipt belongs to sent alone',
    ],
    [['pause', '--local', '--reason', 'because'], 'allowed: a code'],
    [['pause', '--local', '--by', 'ann@example.test'], 'allowed: a short name'],
    [['resume', '--local', '--concurrency', 'all'], 'whole number from 1'],
  ])('%j', async (args, text) => {
    const { code, stdout, stderr } = await ops(...args);
    expect(stderr).toContain(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^error: /);
    expect([code, stdout]).toEqual([EXIT.usage, '']);
    expect(stderr).not.toContain('planted');
  });
});

test('--json says the same on standard output, for scripts', async () => {
  const { code, stdout } = await ops('status', '--local', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ command: 'status', exitCode: EXIT.target },
    error: { code: 'NO_LOCAL_STAGE', message: expect.stringContaining('npm run stage') },
  });
  expect(code).toBe(EXIT.target);
});

test('--help is no error, also of a command', async () => {
  const whole = await ops('--help');
  expect(whole).toMatchObject({ code: EXIT.ok, stderr: '' });
  const one = await ops('redrive', '--help');
  expect(one.stdout).toMatch(/--go\s+do it[\s\S]*--stage <name>/);
  expect(one.code).toBe(EXIT.ok);
});

describe('confirmation', () => {
  test('a person types yes, and nothing else counts', async () => {
    const agreed = fakeTerminal({}, true);
    agreed.type('yes\n');
    await confirm(agreed.terminal, 'It will be sent.', false);
    expect(agreed.written().stderr).toBe('It will be sent.\nType yes to go on: ');
    for (const text of ['y\n', 'no\n', '\n']) {
      const declined = fakeTerminal({}, true);
      declined.type(text);
      await expect(confirm(declined.terminal, 'It will be sent.', false)).rejects.toMatchObject({
        exit: EXIT.refused,
      });
    }
  });

  test('without a person it refuses; --yes is the answer', async () => {
    const { terminal } = fakeTerminal();
    await expect(confirm(terminal, 'It will be sent.', false)).rejects.toMatchObject({
      ...{ exit: EXIT.refused, code: 'NOT_CONFIRMED' },
    });
    await confirm(terminal, 'It will be sent.', true);
  });
});

describe('colour', () => {
  const painted = (env: Record<string, string>, tty: boolean, color = true) =>
    new Output({ ...fakeTerminal({}, tty).terminal, env }, { json: false, color }).paint.red('x');

  test('only on a terminal, and never against NO_COLOR', () => {
    expect(painted({}, true)).not.toBe('x');
    expect(painted({}, false)).toBe('x');
    expect(painted({ NO_COLOR: '1' }, true)).toBe('x');
    expect(painted({ NO_COLOR: '' }, true)).not.toBe('x');
    expect(painted({ TERM: 'dumb' }, true)).toBe('x');
    expect(painted({}, true, false)).toBe('x');
    expect(painted({ FORCE_COLOR: '1', NO_COLOR: '1' }, false)).toBe('x');
  });
});

test('a foreign error shows its name and never its text', () => {
  const error = Object.assign(new Error('Authorization: Bearer sk_live_planted'), {
    name: 'FetchError',
  });
  expect(oneLine(error)).toMatchObject({
    exit: EXIT.bug,
    message: expect.stringContaining('FetchError'),
  });
  expect(JSON.stringify(oneLine(error))).not.toContain('planted');
});
