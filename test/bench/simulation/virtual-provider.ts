import type { Reminder } from '#core/reminder.ts';
import type { SenderProfile, SendResult } from '#core/send-result.ts';
import type { Clock, Sender } from '#ports';

const PROFILE: SenderProfile = {
  provider: 'http',
  providerClass: 'dedupes',
  windowSeconds: 86_400,
  commitSeconds: 5,
  sendTimeoutMs: 10_000,
  blindPolicy: 'park',
};

/** A provider with a latency and, where given, a rate above which it answers 429. */
export class VirtualProvider implements Sender {
  readonly profile = PROFILE;
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #perSecond: number | null;
  #second = 0;
  #inSecond = 0;
  readonly #milestone: number;
  accepted = 0;
  refused = 0;
  lastAcceptedAt = 0;
  /** When as many were accepted as the milestone says. */
  milestoneAt = 0;

  constructor(clock: Clock, latencyMs: number, perSecond: number | null, milestone: number) {
    this.#milestone = milestone;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#perSecond = perSecond;
  }

  content({ data, userId }: Reminder): string {
    return JSON.stringify([userId, data]);
  }

  async send(): Promise<SendResult> {
    const room = this.#hasRoom();
    await this.#clock.sleep(this.#latencyMs);
    if (!room) {
      this.refused += 1;
      return { kind: 'deferred', code: 'HTTP_429', retryAfterSeconds: 1, overload: true };
    }
    this.accepted += 1;
    this.lastAcceptedAt = this.#clock.now();
    if (this.accepted === this.#milestone) this.milestoneAt = this.lastAcceptedAt;
    return { kind: 'accepted', receipt: `receipt-${this.accepted}` };
  }

  #hasRoom(): boolean {
    if (this.#perSecond === null) return true;
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
    return this.#inSecond <= this.#perSecond;
  }
}
