import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '#test/bench/measure/bundle.ts';

/** The functions as they are deployed: bundled, minified, each a module that exports `handler`. */
export type Artefacts = {
  /** `file:` URLs. */
  readonly consumer: string;
  readonly redrive: string;
  readonly 'stats-alarm': string;
  remove(): void;
};

export async function buildArtefacts(): Promise<Artefacts> {
  const directory = mkdtempSync(join(tmpdir(), 'remind-once-artefacts-'));
  const build = async (name: string) => {
    const outfile = join(directory, `${name}.mjs`);
    await bundle(`functions/${name}/handler.ts`, outfile);
    return pathToFileURL(outfile).href;
  };
  const [consumer, redrive, statsAlarm] = await Promise.all([
    build('consumer'),
    build('redrive'),
    build('stats-alarm'),
  ]);
  return {
    consumer,
    redrive,
    'stats-alarm': statsAlarm,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
