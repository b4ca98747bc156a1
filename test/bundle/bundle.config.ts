import { defineConfig } from 'vitest/config';

/** The suite over synthesised artefacts: it bundles, loads and runs what a deployment uploads. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-folder.ts'],
    include: ['test/bundle/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
