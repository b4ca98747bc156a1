import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type RunbookBlock = {
  /** `runbook`: runs on the local stage. `aws`: makes sense in AWS alone. */
  readonly kind: 'runbook' | 'aws';
  readonly line: number;
  readonly commands: readonly string[];
};

export type Runbook = {
  readonly blocks: readonly RunbookBlock[];
  /** Of its headings, as GitHub makes them. */
  readonly anchors: ReadonlySet<string>;
  /** Links within the page. */
  readonly links: readonly string[];
  /** Fences without a kind: nobody would check their commands. */
  readonly unmarked: readonly number[];
  section(anchor: string): string;
};

const PATH = fileURLToPath(new URL('../../infra/RUNBOOK.md', import.meta.url));

export function readRunbook(): Runbook {
  const text = readFileSync(PATH, 'utf8');
  const blocks: { kind: RunbookBlock['kind']; line: number; commands: string[] }[] = [];
  const sections = new Map<string, string[]>();
  const unmarked: number[] = [];
  let open: (typeof blocks)[number] | 'unmarked' | null = null;
  let section: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    section.push(line);
    if (line.startsWith('```')) {
      if (open !== null) open = null;
      else {
        const kind = /^```sh (runbook|aws)$/.exec(line)?.[1] as RunbookBlock['kind'] | undefined;
        open = kind === undefined ? 'unmarked' : { kind, line: index + 1, commands: [] };
        if (open === 'unmarked') unmarked.push(index + 1);
        else blocks.push(open);
      }
    } else if (open !== null && open !== 'unmarked' && line.trim() !== '') {
      open.commands.push(line.trim());
    } else if (/^#+ /.test(line)) {
      section = [];
      sections.set(anchorOf(line), section);
    }
  }
  return {
    blocks,
    unmarked,
    anchors: new Set(sections.keys()),
    links: [...text.matchAll(/\]\s*\(#([^)]+)\)/g)].map(([, anchor]) => anchor ?? ''),
    section: (anchor) => (sections.get(anchor) ?? []).join('\n'),
  };
}

/** GitHub's rule: lower case, punctuation away, blanks to dashes. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** A command's words as a shell would split them: blanks, double quotes, `$NAME`. */
export function shellWords(
  command: string,
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  const words = command.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replaceAll('"', '').replace(/\$(\w+)/g, (whole, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`the runbook uses ${whole}, which no test sets`);
      return value;
    }),
  );
}
