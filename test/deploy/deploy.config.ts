import { defineConfig } from 'vitest/config';

/** The suite that deploys for real: one file after another, since they share the machine. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-folder.ts'],
    include: ['test/deploy/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    pool: 'forks',
    fileParallelism: false,
    sequence: { concurrent: false },
  },
});
