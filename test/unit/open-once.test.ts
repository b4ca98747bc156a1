import { expect, test } from 'vitest';
import { openOnce } from '#wiring/open-once.ts';

test('opens once for calls side by side and one after the other', async () => {
  let opens = 0;
  const opened = openOnce(async () => {
    opens += 1;
    return { opens };
  });
  const [first, second] = await Promise.all([opened(), opened()]);
  expect(first).toBe(second);
  expect(await opened()).toBe(first);
  expect(opens).toBe(1);
});

test('a failure is handed on and forgotten: the next call opens again', async () => {
  let opens = 0;
  const opened = openOnce(async () => {
    opens += 1;
    if (opens === 1) throw new Error('secret missing');
    return opens;
  });
  await expect(opened()).rejects.toThrow('secret missing');
  expect(await opened()).toBe(2);
  expect(opens).toBe(2);
});
