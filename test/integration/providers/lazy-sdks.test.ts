import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROVIDER_SDKS, unusedProviderSdks } from '#config/provider-sdks.ts';
import { parsedChannel, VENDOR_STANDS } from '#test/support/vendor-stands.ts';

const ENTRY = fileURLToPath(import.meta.resolve('#wiring/open-senders.ts'));
/** Opens each channel by itself and prints which provider or which error came of it. */
const SCRIPT = `
import { openSenders } from './senders.mjs';
const dependencies = { http: {}, secrets: {}, clock: {} };
const opened = JSON.parse(process.argv[2]).map((channel) =>
  openSenders({ c: channel }, dependencies).then(
    (senders) => senders.get('c').profile.provider,
    (error) => [error.code, error.message].join(': '),
  ),
);
console.log(JSON.stringify(await Promise.all(opened)));
`;

let folder: string;
let code: string;
let outcomes: Readonly<Record<string, string>>;

/** As infra bundles a pipeline with the generic provider alone; run where no package is found. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remind-once-lazy-'));
  const result = await build({
    ...{ entryPoints: [ENTRY], bundle: true, platform: 'node', format: 'esm', minify: true },
    ...{ write: false, mainFields: ['module', 'main'] },
    external: [...unusedProviderSdks({ push: { provider: 'http' } })],
  });
  code = result.outputFiles[0]?.text ?? '';
  await writeFile(join(folder, 'senders.mjs'), code);
  await writeFile(join(folder, 'open.mjs'), SCRIPT);
  const channels = VENDOR_STANDS.map(
    (stand) => parsedChannel(stand, 'https://api.example.com')['under_test'],
  );
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, 'open.mjs'), JSON.stringify(channels)],
    { cwd: folder },
  );
  const lines: readonly string[] = JSON.parse(stdout);
  outcomes = Object.fromEntries(
    VENDOR_STANDS.map(({ provider }, index) => [provider, lines[index] ?? '']),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a bundle without SES, SMS and FCM carries none of their code', () => {
  expect(code.length).toBeGreaterThan(10_000);
  expect(code.length).toBeLessThan(150_000);
  for (const sdk of Object.values(PROVIDER_SDKS)) {
    expect(code).toContain(`import("${sdk}")`);
    expect(code).not.toMatch(new RegExp(`from ?"${sdk}"`));
  }
});

test.each(VENDOR_STANDS)('$provider, opened from it', ({ provider }) => {
  const message =
    /^PROVIDER_SDK_MISSING: channel c has the provider .*; it is built for .*: deploy again/;
  if (Object.hasOwn(PROVIDER_SDKS, provider)) expect(outcomes[provider]).toMatch(message);
  else expect(outcomes[provider]).toBe(provider);
});
