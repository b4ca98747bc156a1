import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

function source(folder: string): string {
  return readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${ROOT}${folder}/${file}`, 'utf8'))
    .join('\n');
}

test('whatever the command line asks of AWS, grantOperate allows', () => {
  const asked = new Set(
    [...source('functions/ops').matchAll(/action: '([a-z]+:[A-Za-z]+)'/g)].map(([, name]) => name),
  );
  expect(asked.size).toBeGreaterThan(7);
  const granted = source('infra/constructs');
  expect([...asked].filter((action) => !granted.includes(`'${action}'`))).toEqual([]);
});
