import type { SendKey } from '#core/brand.ts';
import { epochFor } from '#core/key-epoch.ts';
import { parseReminder } from '#core/reminder.ts';
import { identify } from '#core/send-key.ts';
import type { Random } from '#ports';
import { REAL_CHANNELS, REAL_QUEUE, REAL_SECRETS, type RealStage } from './real-stage.ts';

const EPOCHS = [
  { id: 'first', secret: REAL_SECRETS.SEND_KEY_SECRET, keyFields: [], from: null },
] as const;

export type Published = {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly channel: keyof typeof REAL_CHANNELS;
  readonly sendKey: SendKey;
};

/** The reminders of a run: due now, of all channels, each published once to three times. */
export class RealLoad {
  readonly published: Published[] = [];
  copies = 0;
  readonly #stage: RealStage;
  readonly #random: Random;

  constructor(stage: RealStage, random: Random) {
    this.#stage = stage;
    this.#random = random;
  }

  publish(count: number): void {
    const names = Object.keys(REAL_CHANNELS) as (keyof typeof REAL_CHANNELS)[];
    const { model, clock } = this.#stage.queue;
    for (let made = 0; made < count; made += 1) {
      const index = this.published.length;
      const channel = names[index % names.length] ?? 'push';
      const payload = {
        user_id: `user-${index % 97}`,
        reminder_id: `reminder-${index}`,
        scheduled_at: new Date(clock.now()).toISOString(),
        channel,
        data: { text: `text ${index}` },
      };
      this.published.push({ payload, channel, sendKey: keyOf(payload) });
      const copies = 1 + Math.floor(this.#random.fraction() * 3);
      for (let copy = 0; copy < copies; copy += 1) {
        const idempotencyKey = `producer-${index}-${copy}`;
        model.publish({ queue: REAL_QUEUE, payload, idempotencyKey }, clock.now());
      }
      this.copies += copies;
    }
  }
}

/** The send key of a payload under the stage's one epoch. */
export function keyOf(payload: unknown): SendKey {
  const parsed = parseReminder(payload, 'push');
  if (!parsed.ok) throw new Error(parsed.reason);
  const { reminder } = parsed;
  return identify(reminder, epochFor(reminder.scheduledAt, EPOCHS)).sendKey;
}
