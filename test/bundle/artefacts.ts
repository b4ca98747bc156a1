import { cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { install } from '#infra/stacks/installation.ts';
import type { StageSettings } from '#infra/stages.ts';
import { deployedContext, resourcesOf } from '#test/support/synthesise.ts';

const ASSEMBLIES = fileURLToPath(new URL('../../cdk.out/', import.meta.url));

export type ArtefactName = 'Consumer' | 'Redrive' | 'Stats';

/** What a deployment uploads for one function. */
export type Artefact = {
  readonly name: ArtefactName;
  /** Folder of `index.mjs` and its source map; nothing is installed around it. */
  readonly folder: string;
  readonly file: string;
  readonly bytes: number;
  /** Modules inside, by the paths of the source map. */
  readonly modules: readonly string[];
  readonly sourceMap: Readonly<Record<string, unknown>>;
  /** Names of the variables that the template gives the function. */
  readonly variables: readonly string[];
};

/**
 * Synthesises with bundles where a deployment does, since source maps count from there, and takes
 * the artefacts out of the repository, where no installed package could help them out.
 */
export async function bundledArtefacts(
  settings: StageSettings,
): Promise<Readonly<Record<ArtefactName, Artefact>>> {
  await mkdir(ASSEMBLIES, { recursive: true });
  const outdir = await mkdtemp(join(ASSEMBLIES, 'bundle-'));
  const away = await mkdtemp(join(tmpdir(), 'remind-once-bundle-'));
  const app = new App({
    outdir,
    context: { ...deployedContext(), 'aws:cdk:enable-asset-metadata': true },
    builtinCloudFormationValidation: false,
  });
  const { service } = install(app, settings);
  const functions = resourcesOf(Template.fromStack(service), 'AWS::Lambda::Function');
  const read = async (name: ArtefactName): Promise<Artefact> => {
    const found = Object.entries(functions).find(([id]) => id.startsWith(`Pipeline${name}`))?.[1];
    const metadata = (found as unknown as { readonly Metadata: Record<string, string> }).Metadata;
    const folder = join(away, name);
    await cp(join(outdir, metadata['aws:asset:path'] ?? ''), folder, { recursive: true });
    const file = join(folder, 'index.mjs');
    const sourceMap = JSON.parse(await readFile(`${file}.map`, 'utf8')) as Record<string, unknown>;
    const environment = found?.Properties['Environment'] as { readonly Variables: object };
    return {
      name,
      folder,
      file,
      bytes: (await stat(file)).size,
      modules: sourceMap['sources'] as readonly string[],
      sourceMap,
      variables: Object.keys(environment.Variables),
    };
  };
  const [Consumer, Redrive, Stats] = await Promise.all([
    read('Consumer'),
    read('Redrive'),
    read('Stats'),
  ]);
  await rm(outdir, { recursive: true });
  return { Consumer, Redrive, Stats };
}
