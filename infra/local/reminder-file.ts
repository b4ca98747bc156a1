import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { RemindOnceError } from '#core/errors.ts';
import { parseReminder, type Reminder } from '#core/reminder.ts';

/** A reminder of a file, as it will be published. */
export type FileReminder = {
  readonly line: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly reminder: Reminder;
};
export type BadLine = { readonly line: number; readonly reason: string };
export type ReminderFile = {
  readonly lines: number;
  readonly reminders: readonly FileReminder[];
  readonly bad: readonly BadLine[];
};

/**
 * Reads newline-delimited JSON, one reminder a line; blank lines do not count. A bad line is
 * noted with its number and reason and does not stop the rest.
 * @throws RemindOnceError FILE_UNREADABLE
 */
export async function readReminderFile(
  path: string,
  defaultChannel: string | null,
): Promise<ReminderFile> {
  const reminders: FileReminder[] = [];
  const bad: BadLine[] = [];
  let line = 0;
  let lines = 0;
  try {
    const input = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
    for await (const text of input) {
      line += 1;
      if (text.trim() === '') continue;
      lines += 1;
      const read = readLine(line === 1 ? text.replace(/^\uFEFF/, '') : text, defaultChannel);
      if ('reason' in read) bad.push({ line, reason: read.reason });
      else reminders.push({ line, ...read });
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new RemindOnceError(
      'FILE_UNREADABLE',
      `${path} could not be read (${code}); name a readable file with one JSON reminder a line`,
    );
  }
  return { lines, reminders, bad };
}

function readLine(
  text: string,
  defaultChannel: string | null,
): Omit<FileReminder, 'line'> | { readonly reason: string } {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return { reason: 'NOT_JSON' };
  }
  const parsed = parseReminder(payload, defaultChannel);
  return parsed.ok
    ? { payload: parsed.payload, reminder: parsed.reminder }
    : { reason: parsed.reason };
}
