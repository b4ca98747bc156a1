import { expect, test } from 'vitest';
import { realEnds } from '#test/proof/real-ends.ts';

test('the deployed artefact, killed at every point once', { timeout: 240_000 }, async () => {
  const report = await realEnds.run({ seed: 1, scale: 'short', log: () => {} });
  expect(report.violations).toEqual([]);
  const { counts } = report;
  expect(counts['kills']).toBe(16);
  expect(counts['engine killed and restarted']).toBeGreaterThan(0);
  expect(counts['effects']).toBeGreaterThan(100);
});
