import type { EpochMs } from '#core/brand.ts';
import type { Random } from '#ports';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Later than the queue remembers keys, and early enough for dead letters to outlive the episode. */
const MOST_REPEAT_DAYS = 10;

export type Publication = {
  readonly at: EpochMs;
  readonly reminder: number;
  readonly copy: number;
};

export type Load = {
  readonly publications: readonly Publication[];
  /** When each reminder is due, by its number. */
  readonly scheduledAt: readonly EpochMs[];
};

/** Days of traffic: most reminders due at once, some ahead, one in seven published more than once. */
export function drawLoad(random: Random, reminders: number, from: EpochMs, days: number): Load {
  const publications: Publication[] = [];
  const scheduledAt: EpochMs[] = [];
  for (let reminder = 0; reminder < reminders; reminder += 1) {
    const at = from + Math.floor(random.fraction() * days * DAY);
    publications.push({ at, reminder, copy: 0 });
    scheduledAt.push(at + aheadMs(random));
    if (random.fraction() > 0.14) continue;
    const copies = 1 + Math.floor(random.fraction() * 3);
    for (let copy = 1; copy <= copies; copy += 1) {
      publications.push({ at: at + repeatMs(random), reminder, copy });
    }
  }
  return { publications: publications.sort((a, b) => a.at - b.at), scheduledAt };
}

function aheadMs(random: Random): number {
  const draw = random.fraction();
  if (draw < 0.75) return Math.floor(random.fraction() * MINUTE);
  return Math.floor(random.fraction() * (draw < 0.95 ? 6 * HOUR : 9 * DAY));
}

function repeatMs(random: Random): number {
  const draw = random.fraction();
  if (draw < 0.5) return Math.floor(random.fraction() * 5 * MINUTE);
  return Math.floor(random.fraction() * (draw < 0.9 ? 6 * HOUR : MOST_REPEAT_DAYS * DAY));
}

/** One reminder in thirty has a producer that changes its content between two publications. */
export function changesContent(reminder: number): boolean {
  return reminder % 30 === 7;
}

/** The same reminder in one of its spellings: identity never changes, content rarely. */
export function payloadOf(load: Load, { reminder, copy }: Publication): Record<string, unknown> {
  const at = load.scheduledAt[reminder] ?? 0;
  const instant = new Date(at).toISOString();
  const spelling = (reminder + copy) % 3;
  const payload: Record<string, unknown> = {
    user_id: spelling === 0 ? reminder : String(reminder),
    reminder_id: 'r_sim',
    channel: 'push',
    trace: copy,
  };
  if (spelling === 1) payload['occurrence'] = `${instant.slice(0, -1)}000+00:00`;
  else payload['scheduled_at'] = instant;
  if (reminder % 40 === 3) payload['use_by'] = new Date(at + 2 * HOUR).toISOString();
  if (changesContent(reminder)) payload['data'] = { text: `wording ${copy}` };
  return payload;
}
