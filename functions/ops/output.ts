import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import pc from 'picocolors';

/** What a process gives a command: its streams and its environment. */
export type Terminal = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type Progress = { step(): void; stop(): void };

type Paint = ReturnType<typeof pc.createColors>;

/**
 * The one place that writes. People's text on standard output; with `--json` nothing but one JSON
 * document there; errors, questions and progress on standard error.
 */
export class Output {
  readonly json: boolean;
  readonly paint: Paint;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, options: { readonly json: boolean; readonly color: boolean }) {
    this.#terminal = terminal;
    this.json = options.json;
    const { env, stdout } = terminal;
    // https://no-color.org: any non-empty value switches colour off.
    const wanted = options.color && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    this.paint = pc.createColors(wanted && (stdout.isTTY === true || Boolean(env['FORCE_COLOR'])));
  }

  line(text = ''): void {
    if (!this.json) this.#terminal.stdout.write(`${text}\n`);
  }

  heading(text: string): void {
    this.line(this.paint.bold(text));
  }

  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
    if (rows.length === 0) return;
    const table = new Table({ head: [...head], style: { head: [], border: [] }, chars: PLAIN });
    table.push(...rows.map((row) => row.map(String)));
    this.line(table.toString());
  }

  /** Label and value a line, the values below each other. */
  facts(rows: readonly (readonly [string, string])[]): void {
    const width = Math.max(...rows.map(([label]) => label.length));
    for (const [label, value] of rows) this.line(`  ${label.padEnd(width)}  ${value}`);
  }

  /** The one document of `--json`. */
  document(value: object): void {
    if (this.json) this.#terminal.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** For the person who waits, never for a script: standard error. */
  note(text: string): void {
    this.#terminal.stderr.write(`${text}\n`);
  }

  error(text: string): void {
    this.#terminal.stderr.write(`error: ${text}\n`);
  }

  /** A bar on a terminal, silence elsewhere. */
  progress(total: number, what: string): Progress {
    if (this.#terminal.stderr.isTTY !== true) return { step: () => {}, stop: () => {} };
    const bar = new SingleBar({
      format: `  ${what} {bar} {value}/{total}`,
      stream: this.#terminal.stderr,
      hideCursor: true,
      clearOnComplete: true,
    });
    bar.start(total, 0);
    return { step: () => bar.increment(), stop: () => bar.stop() };
  }
}

/** No frame but a rule below the head: it survives a copy into a ticket. */
const PLAIN = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: ' ',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' ',
};
