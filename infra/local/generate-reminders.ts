import { parseReminder } from '#core/reminder.ts';
import type { Random } from '#ports';
import { LOCAL_CHANNELS } from './local-settings.ts';
import type { FileReminder } from './reminder-file.ts';

const KINDS = ['trial-ends', 'weekly-digest', 'renewal-notice', 'appointment'] as const;
const FIRST_INSTANT = Date.UTC(2026, 6, 27, 6, 0, 0);
const SPAN_MS = 6 * 3_600_000;

/** Made-up reminders, one occurrence each, the same for the same random source. */
export function generateReminders(count: number, random: Random): readonly FileReminder[] {
  return Array.from({ length: count }, (_, index) => {
    const at = FIRST_INSTANT + Math.floor(random.fraction() * SPAN_MS);
    const payload = {
      user_id: `u_${1000 + index}`,
      reminder_id: KINDS[index % KINDS.length],
      scheduled_at: new Date(at).toISOString(),
      channel: LOCAL_CHANNELS[Math.floor(random.fraction() * LOCAL_CHANNELS.length)],
      data: { title: 'A made-up reminder', number: index + 1 },
    };
    const parsed = parseReminder(payload, null);
    if (!parsed.ok) throw new Error(`generated an invalid reminder: ${parsed.reason}`);
    return { line: index + 1, payload, reminder: parsed.reminder };
  });
}
