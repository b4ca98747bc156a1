import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { formatOf, readRecords } from '#functions/ops/publish/reminder-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'remind-once-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('CSV: one bad row keeps its line and reason and does not stop the rest', async () => {
  const path = file(
    'rows.csv',
    [
      '\uFEFFuser_id,reminder_id,scheduled_at,version,data,data.title',
      'a,b,2026-07-26T08:00:00Z,3,"{""n"":1}","Hello, you"',
      'a,b',
      'a,b,2026-07-26T08:00:00Z,,not json,',
      '4471, b ,2026-07-26T08:00:00Z,,,',
      '',
      '"x\ny",c,2026-07-26T08:00:00Z,x,,',
    ].join('\r\n'),
  );
  const at = { scheduled_at: '2026-07-26T08:00:00Z' };
  expect(await readRecords(path, 'csv')).toEqual([
    {
      line: 2,
      payload: {
        ...{ user_id: 'a', reminder_id: 'b', ...at, version: 3 },
        data: { n: 1, title: 'Hello, you' },
      },
    },
    { line: 3, fault: 'OTHER_COLUMNS' },
    { line: 4, fault: 'DATA_NOT_JSON' },
    { line: 5, payload: { user_id: '4471', reminder_id: 'b', ...at } },
    { line: 8, payload: { user_id: 'x\ny', reminder_id: 'c', ...at, version: Number.NaN } },
  ]);
});

test('NDJSON: blank lines do not count, a bad line is named', async () => {
  const path = file('lines.ndjson', '\uFEFF{"user_id":1}\r\n\r\n{"user_id"\r\n[]\n');
  expect(await readRecords(path, 'ndjson')).toEqual([
    { line: 1, payload: { user_id: 1 } },
    { line: 3, fault: 'NOT_JSON' },
    { line: 4, payload: [] },
  ]);
});

test('the ending names the format', () => {
  expect(['a.CSV', 'a.csv', 'a.ndjson', 'a'].map(formatOf)).toEqual([
    ...['csv', 'csv', 'ndjson', 'ndjson'],
  ]);
});
