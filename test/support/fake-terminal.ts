import { PassThrough } from 'node:stream';
import type { Terminal } from '#functions/ops/output.ts';

export type FakeTerminal = {
  readonly terminal: Terminal;
  written(): { readonly stdout: string; readonly stderr: string };
  /** What the person types. */
  type(text: string): void;
};

/** A terminal that keeps what is written to it; with `tty`, one that a person sits at. */
export function fakeTerminal(
  env: Readonly<Record<string, string | undefined>> = {},
  tty = false,
): FakeTerminal {
  const text = { stdout: '', stderr: '' };
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const stream = (name: 'stdout' | 'stderr') => {
    const out = Object.assign(new PassThrough(), { isTTY: tty });
    out.on('data', (chunk) => {
      text[name] += chunk;
    });
    return out as unknown as NodeJS.WriteStream;
  };
  return {
    terminal: {
      stdin: stdin as unknown as NodeJS.ReadStream,
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      env: { NO_COLOR: tty ? undefined : '1', ...env },
    },
    written: () => ({ ...text }),
    type: (line) => void stdin.write(line),
  };
}
