import { expect, test } from 'vitest';
import { hostileInput } from '#test/proof/hostile-input.ts';

test('hostile payloads and answers of every shape', { timeout: 240_000 }, async () => {
  const report = await hostileInput.run({ seed: 1, scale: 'short', log: () => {} });
  expect(report.violations).toEqual([]);
  const { counts } = report;
  expect(counts['payloads']).toBeGreaterThan(400);
  for (const became of ['sent', 'invalid', 'expired', 'waits']) {
    expect(counts[`became ${became}`], became).toBeGreaterThan(0);
  }
  expect(counts['bytes of output searched']).toBeGreaterThan(100_000);
});
