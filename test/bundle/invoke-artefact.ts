/**
 * Loads one artefact in a process of its own and invokes it once, as Lambda would.
 * Usage: node invoke-artefact.ts <index.mjs> [load-only]
 * Prints what the function prints, then one line with `artefact` in front: an `ArtefactRun`.
 */
import { pathToFileURL } from 'node:url';

export type ArtefactRun = {
  /** From the start of the import to its end, on a cold process. */
  readonly importMs: number;
  readonly outcome:
    | { readonly kind: 'loaded' }
    | { readonly kind: 'answered'; readonly answer: unknown }
    | { readonly kind: 'failed'; readonly name: string; readonly message: string };
};

type Handler = (event: unknown, context: object) => Promise<unknown>;

const [file = '', mode] = process.argv.slice(2);
const startedAt = performance.now();
let importMs = 0;
const outcome = await import(pathToFileURL(file).href).then(
  async ({ handler }: { readonly handler: Handler }) => {
    importMs = performance.now() - startedAt;
    if (mode === 'load-only') return { kind: 'loaded' } as const;
    const endsAt = Date.now() + 60_000;
    const context = {
      awsRequestId: '00000000-0000-4000-8000-000000000000',
      functionName: 'artefact',
      getRemainingTimeInMillis: () => endsAt - Date.now(),
    };
    return handler({}, context).then((answer) => ({ kind: 'answered', answer }) as const, failed);
  },
  failed,
);
process.stdout.write(`\nartefact ${JSON.stringify({ importMs, outcome } satisfies ArtefactRun)}\n`);

function failed({ name, message }: Error): ArtefactRun['outcome'] {
  return { kind: 'failed', name, message };
}
