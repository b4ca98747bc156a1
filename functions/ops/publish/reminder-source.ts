import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';

export const FILE_FORMATS = ['ndjson', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** One record of a file, unchecked, with the line that it begins on. */
export type SourceRecord =
  | { readonly line: number; readonly payload: unknown }
  | { readonly line: number; readonly fault: string };

/**
 * Reads a file of reminders: one JSON object a line, or CSV with a head line. A bad record keeps its
 * line and reason and does not stop the rest.
 * @throws OpsError FILE_UNREADABLE
 */
export async function readRecords(
  path: string,
  format: FileFormat,
): Promise<readonly SourceRecord[]> {
  try {
    return format === 'csv' ? await readCsv(path) : await readNdjson(path);
  } catch (error) {
    if (error instanceof OpsError) throw error;
    // Of the parser only the code: its text may hold a cell.
    const { code = 'error' } = error as { readonly code?: string };
    throw new OpsError(
      EXIT.usage,
      'FILE_UNREADABLE',
      `${path} could not be read as ${format} (${code}); nothing was published`,
    );
  }
}

/** By the file's ending; NDJSON where it says nothing. */
export function formatOf(path: string): FileFormat {
  return /\.csv$/i.test(path) ? 'csv' : 'ndjson';
}

async function readNdjson(path: string): Promise<readonly SourceRecord[]> {
  const records: SourceRecord[] = [];
  let line = 0;
  const input = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const raw of input) {
    line += 1;
    const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    if (text.trim() === '') continue;
    try {
      records.push({ line, payload: JSON.parse(text) });
    } catch {
      records.push({ line, fault: 'NOT_JSON' });
    }
  }
  return records;
}

type CsvRecord = {
  readonly record: Readonly<Record<string, string>>;
  /** `error`: the row has other columns than the head line. */
  readonly info: { readonly lines: number; readonly error?: unknown };
};

async function readCsv(path: string): Promise<readonly SourceRecord[]> {
  const records: SourceRecord[] = [];
  const parser = createReadStream(path).pipe(
    parse({
      ...{ columns: true, bom: true, info: true, skip_empty_lines: true, trim: true },
      relax_column_count: true,
    }),
  );
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    const read = info.error === undefined ? readRow(record) : { fault: 'OTHER_COLUMNS' };
    records.push({ line: info.lines, ...read });
  }
  return records;
}

const NUMBERS = new Set(['version', 'attempt', 'hop']);
const DATA_COLUMN = 'data.';

/**
 * A row's cells by the payload's names; an empty cell is an absent field. `data` is a JSON object,
 * `data.<name>` one text of it.
 */
function readRow(
  record: Readonly<Record<string, string>>,
): { readonly payload: unknown } | { readonly fault: string } {
  const payload: Record<string, unknown> = {};
  const data: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(record)) {
    if (cell === '') continue;
    if (name === 'data') {
      const parsed = parseJson(cell);
      if (typeof parsed !== 'object' || parsed === null) return { fault: 'DATA_NOT_JSON' };
      Object.assign(data, parsed);
    } else if (name.startsWith(DATA_COLUMN)) data[name.slice(DATA_COLUMN.length)] = cell;
    else payload[name] = NUMBERS.has(name) ? Number(cell) : cell;
  }
  return { payload: Object.keys(data).length > 0 ? { ...payload, data } : payload };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
