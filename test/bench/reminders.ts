/** One reminder as a producer publishes it; the same for every contestant. */
export function reminderPayload(batch: string, index: number): Readonly<Record<string, unknown>> {
  return {
    user_id: `user-${batch}-${index}`,
    reminder_id: `dose-${index % 7}`,
    scheduled_at: SCHEDULED_AT,
    channel: 'push',
    version: 1,
    data: {
      title: 'Time for your medicine',
      body: 'Two tablets with a glass of water. Tap when you have taken them.',
      locale: 'en-GB',
      deep_link: `app://reminders/${index}`,
    },
  };
}

/** Due a minute before this process started: inside every use-by time. */
const SCHEDULED_AT = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000).toISOString();
