import { confirm } from '#functions/ops/confirm.ts';
import type { ExitCode } from '#functions/ops/exit-codes.ts';
import type { Output, Terminal } from '#functions/ops/output.ts';
import { openTarget } from '#functions/ops/target/open-target.ts';
import type { Target } from '#functions/ops/target/target.ts';

/** Flags that every command takes. */
export type CommonFlags = {
  readonly stage?: string;
  readonly local?: boolean;
  readonly pipeline: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly color: boolean;
};

/** What a command ends with. */
export type Ran = {
  readonly exit: ExitCode;
  /** The fields of the `--json` document. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same for people. */
  show(out: Output): void;
};

/** One command under way: its terminal, its target, its person. */
export class Session {
  readonly out: Output;
  readonly terminal: Terminal;
  readonly #flags: CommonFlags;
  #target: Promise<Target> | undefined;

  constructor(terminal: Terminal, out: Output, flags: CommonFlags) {
    this.terminal = terminal;
    this.out = out;
    this.#flags = flags;
  }

  /** Opened with the first question to it, so that wrong flags are refused without a call. */
  target(): Promise<Target> {
    this.#target ??= openTarget(this.#flags, this.terminal.env);
    return this.#target;
  }

  confirm(what: string): Promise<void> {
    return confirm(this.terminal, what, this.#flags.yes === true);
  }

  /** What the document of `--json` says about the target; empty before one was opened. */
  async where(): Promise<object> {
    const target = await this.#target?.catch(() => undefined);
    return target === undefined ? {} : { target: target.kind, stage: target.stage };
  }
}
