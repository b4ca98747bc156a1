import { createHash } from 'node:crypto';
import { changeBreaker, readBreaker } from '#app/breaker-control.ts';
import type { EpochMs } from '#core/brand.ts';
import { resume } from '#core/breaker.ts';
import { useByOf } from '#core/delivery.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import type { SendRequest } from '#ports';
import { changesContent, drawLoad, type Load, payloadOf } from '#test/proof/sim-load.ts';
import type { Mix } from '#test/proof/sim-mix.ts';
import { decideParked } from '#test/proof/sim-operator.ts';
import { Story } from '#test/proof/sim-story.ts';
import { fateIn, WeatherReport } from '#test/proof/sim-weather.ts';
import { consumeOnce, redriveOnce, type SimPorts } from '#test/proof/sim-worker.ts';
import { SimWorld } from '#test/proof/sim-world.ts';
import { brokenAtRest } from '#test/proof/verdict.ts';
import { DUE_AT } from '#test/support/core-data.ts';
import { FatedWorker } from '#test/support/fated-worker.ts';
import { QUEUE_NAME } from '#test/support/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MOST_CONSUMERS = 5;
/** A redrive that moves nothing any more ends the episode; so many rounds at most. */
const MOST_REDRIVES = 6;
/** Seldom enough for dead letters that wait for a person not to be most of what is simulated. */
const REDRIVE_EVERY_MS = 4 * HOUR;

export type EpisodeOptions = {
  readonly seed: number;
  readonly mix: Mix;
  readonly reminders: number;
  readonly days: number;
  /** Number of the one reminder whose story is told. */
  readonly trace?: number;
};

export type EpisodeResult = {
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly { readonly reminder: number; readonly what: string }[];
  /** Of all rows and counters: the same seed gives the same digest. */
  readonly digest: string;
  readonly story: readonly string[];
  readonly virtualDays: number;
};

/** Enough to play it again. */
export function nameOf({ seed, mix, reminders, days }: EpisodeOptions): string {
  return `${mix.name}: seed ${seed}, ${reminders} reminders over ${days} days`;
}

/** Days of traffic in virtual time: consumers and redrives tick, the weather changes, keys rotate. */
export async function playEpisode(options: EpisodeOptions): Promise<EpisodeResult> {
  const episode = new Episode(options);
  return episode.play();
}

class Episode {
  readonly #options: EpisodeOptions;
  readonly #world: SimWorld;
  readonly #load: Load;
  readonly #weather: WeatherReport;
  readonly #counts = new Map<string, number>();
  readonly #broken: { reminder: number; what: string }[] = [];
  readonly #story: Story | null = null;
  #published = 0;
  #consumers = 0;
  #workers = 0;
  #over = false;

  constructor(options: EpisodeOptions) {
    const { seed, mix, reminders, days, trace } = options;
    this.#options = options;
    this.#load = drawLoad(seededRandom(seed + 1), reminders, DUE_AT, days);
    this.#weather = new WeatherReport(seededRandom(seed + 2), DUE_AT, DUE_AT + days * DAY);
    this.#world = new SimWorld({
      seed,
      mix,
      from: DUE_AT,
      rotatesAt: DUE_AT + (days / 2) * DAY,
      weather: () => this.#weather.at(this.#now()),
      onSend: (request) => this.#checkInstant(request),
    });
    if (trace !== undefined) this.#story = new Story(this.#keyOf(trace), String(trace), DUE_AT);
  }

  async play(): Promise<EpisodeResult> {
    const { clock, ledger, model } = this.#world;
    const course = [
      this.#produce(),
      this.#consume(),
      this.#operate(),
      this.#decide(),
      this.#redrive(),
    ];
    await clock.run(Promise.all(course));
    this.#judge();
    const digest = createHash('sha256');
    for (const row of ledger.rows.values()) digest.update(JSON.stringify(row));
    digest.update(JSON.stringify([...this.#counts, model.counters]));
    return {
      counts: Object.fromEntries(this.#counts),
      broken: this.#broken,
      digest: digest.digest('hex').slice(0, 16),
      story: this.#story?.lines ?? [],
      virtualDays: Math.round((clock.now() - DUE_AT) / DAY),
    };
  }

  #now(): EpochMs {
    return this.#world.clock.now();
  }

  async #produce(): Promise<void> {
    const { clock, model } = this.#world;
    for (const publication of this.#load.publications) {
      const waitMs = publication.at - clock.now();
      if (waitMs > 5_000) await clock.sleep(waitMs);
      const payload = payloadOf(this.#load, publication);
      const idempotencyKey = `producer-${publication.reminder}-${publication.copy}`;
      model.publish({ queue: QUEUE_NAME, payload, idempotencyKey }, clock.now());
      this.#published += 1;
      if (publication.reminder === this.#options.trace) this.#story?.tell(clock.now(), 'published');
    }
  }

  /** A run a minute, overlapping; an idle queue is left alone until something is due. */
  async #consume(): Promise<void> {
    const runs = new Set<Promise<void>>();
    while (!this.#over) {
      await this.#world.clock.sleep(Math.max(MINUTE, this.#idleMs()));
      if (this.#consumers >= MOST_CONSUMERS) continue;
      if (this.#weather.at(this.#now()) === 'no consumer runs') continue;
      this.#consumers += 1;
      const run = this.#life('consumer', (ports) => consumeOnce(ports, this.#options.mix));
      const ended = run.then(() => {
        this.#consumers -= 1;
        runs.delete(ended);
      });
      runs.add(ended);
    }
    await Promise.all(runs);
  }

  /** How long the queue will certainly have nothing to give; an hour at most, for the redrive. */
  #idleMs(): number {
    const stats = this.#world.model.stats(QUEUE_NAME, this.#now());
    const atWork = stats.kind !== 'stats' || stats.availableCount + stats.inFlightCount > 0;
    if (atWork) return 0;
    const due = this.#world.model.nextDueAt() ?? Number.POSITIVE_INFINITY;
    return Math.min(HOUR, Math.min(due, this.#nextPublication()) - this.#now());
  }

  #nextPublication(): EpochMs {
    return this.#load.publications[this.#published]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Now and then; after the last message has been settled, until a round moves nothing any more. */
  async #redrive(): Promise<void> {
    while (this.#nextPublication() !== Number.POSITIVE_INFINITY || this.#world.queued() > 0) {
      await this.#world.clock.sleep(REDRIVE_EVERY_MS);
      if (this.#world.dead().length > 0) await this.#life('redrive', redriveOnce);
    }
    for (let round = 0; round < MOST_REDRIVES; round += 1) {
      const before = this.#world.dead().length;
      if (before === 0) break;
      await this.#life('redrive', redriveOnce);
      while (this.#world.queued() > 0) await this.#world.clock.sleep(10 * MINUTE);
      if (round > 1 && this.#world.dead().length === before) break;
      await this.#world.clock.sleep(DAY);
    }
    this.#over = true;
  }

  /** A person who looks every half hour and resumes what waits for a person. */
  async #operate(): Promise<void> {
    const { clock, controls } = this.#world;
    while (!this.#over) {
      await clock.sleep(HOUR / 2);
      const found = await readBreaker(controls);
      if (found.kind === 'failed' || found.breaker.mode.kind !== 'paused') continue;
      if (found.breaker.mode.resumeAt !== null) continue;
      this.#count(`breaker ${found.breaker.reason}`);
      const change = { by: 'operator', reason: 'RESUMED', at: clock.now() };
      await changeBreaker(controls, (breaker) => resume(breaker, change));
    }
  }

  /** A person who looks once a day at the outcomes that only a person can settle. */
  async #decide(): Promise<void> {
    while (!this.#over) {
      await this.#world.clock.sleep(DAY);
      await this.#life('operator', async (ports) => {
        for (const result of await decideParked(ports, this.#world.provider)) this.#count(result);
      });
    }
  }

  /** One worker's life: a run of a function, to its end or to the worker's. */
  async #life(name: string, work: (ports: SimPorts) => Promise<unknown>): Promise<void> {
    const { random, provider } = this.#world;
    this.#workers += 1;
    const id = `${name} ${this.#workers}`;
    const marginMs = provider.sender.profile.commitSeconds * 1000;
    const story = this.#story;
    const worker = new FatedWorker(
      (call) => {
        const fate = fateIn(this.#weather.at(this.#now()), random, call, marginMs);
        if (fate !== 'goes-on') this.#count(typeof fate === 'string' ? fate : `frozen`);
        return fate;
      },
      story === null
        ? null
        : (call, fate, answer) => story.note(this.#now(), id, call, fate, answer),
    );
    await Promise.race([work(worker.deps(this.#world.ports()) as SimPorts), worker.end]);
    this.#count(`${name} runs`);
    this.#count('port calls', worker.calls.length);
  }

  /** By true time, with the clocks' spread: never early, never after the use-by time. */
  #checkInstant({ reminder }: SendRequest): void {
    const { settings, clockSpreadMs } = this.#options.mix;
    const earliest = reminder.scheduledAt.epochMs - settings.futureToleranceSeconds * 1000;
    const latest = useByOf(reminder, settings.useBySeconds);
    const now = this.#now();
    this.#count('submissions');
    if (now >= earliest - clockSpreadMs && now <= latest + clockSpreadMs) return;
    const what = now < earliest ? 'sent early' : 'sent after its use-by time';
    this.#broken.push({ reminder: Number(reminder.userId), what });
  }

  #judge(): void {
    const queued = countByUser(this.#world.model.messages(QUEUE_NAME, this.#now()));
    const dead = countByUser(this.#world.dead());
    const { ledger, provider } = this.#world;
    provider.model.settle(this.#now());
    for (let reminder = 0; reminder < this.#options.reminders; reminder += 1) {
      const sendKey = this.#keyOf(reminder);
      const row = ledger.rows.get(sendKey);
      const effects = provider.model.effects.of(sendKey);
      const user = String(reminder);
      const view = { row, effects, provider, queued: queued.get(user) ?? 0 };
      // A dead letter with other content than the row's waits for a person, whatever the row says.
      const settled = !changesContent(reminder);
      for (const what of brokenAtRest({ ...view, dead: dead.get(user) ?? 0 }, settled)) {
        this.#broken.push({ reminder, what });
      }
      this.#count(row === undefined ? 'at rest NO_ROW' : `at rest ${stateOf(row)}`);
      if (effects > 1) this.#count('duplicates by policy');
    }
    if (ledger.rows.size > this.#options.reminders) {
      this.#broken.push({ reminder: -1, what: `${ledger.rows.size} rows` });
    }
  }

  #keyOf(reminder: number) {
    return this.#world.keyOf(String(reminder), this.#load.scheduledAt[reminder] ?? 0);
  }

  #count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}

function stateOf(row: { readonly state: string; readonly reason: string }): string {
  return row.state === 'UNKNOWN' ? row.reason : row.state;
}

function countByUser(
  messages: readonly { readonly payload: unknown }[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { payload } of messages) {
    const user = String((payload as { user_id: unknown }).user_id);
    counts.set(user, (counts.get(user) ?? 0) + 1);
  }
  return counts;
}
