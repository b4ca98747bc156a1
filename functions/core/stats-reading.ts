/** Why a figure was refused. */
export type FigureFault =
  | 'MISSING'
  | 'NULL'
  | 'NOT_A_NUMBER'
  | 'NOT_FINITE'
  | 'NEGATIVE'
  | 'NOT_WHOLE'
  | 'TOO_LARGE';

/** A figure that cannot be published: as 0 it would hide a fault, as NaN it would stay for good. */
export type InvalidFigure = { readonly figure: string; readonly fault: FigureFault };

export type Figures = Readonly<Record<string, unknown>>;

/** The queue's own words about itself; null where its word was refused. */
export type QueueFigures = {
  readonly available: number | null;
  readonly inFlight: number | null;
  readonly delayed: number | null;
  readonly deadLetters: number | null;
  readonly oldestAgeSeconds: number | null;
};

export const NO_QUEUE_FIGURES: QueueFigures = {
  available: null,
  inFlight: null,
  delayed: null,
  deadLetters: null,
  oldestAgeSeconds: null,
};

export type Reading<Value> = {
  readonly value: Value;
  readonly invalid: readonly InvalidFigure[];
};

type Kind = 'count' | 'amount';

/**
 * The figures of `GET /v1/queue/stats/{queue}` (contract page, queue.stats), each judged alone:
 * one bad figure does not cost the others.
 */
export function readQueueStats(figures: Figures): Reading<QueueFigures> {
  const reader = new FigureReader(figures);
  return reader.reading({
    available: reader.read('available_count', 'count'),
    inFlight: reader.read('in_flight_count', 'count'),
    delayed: reader.read('delayed_count', 'count'),
    deadLetters: reader.read('dlq_count', 'count'),
    oldestAgeSeconds: reader.read('oldest_message_age_seconds', 'amount'),
  });
}

/**
 * How many messages the dead-letter queue says it holds, leased and delayed ones included; null
 * when a part of the sum was refused.
 */
export function readDeadLetterStats(figures: Figures): Reading<number | null> {
  const reader = new FigureReader(figures, 'dlq.');
  const available = reader.read('available_count', 'count');
  const inFlight = reader.read('in_flight_count', 'count');
  const delayed = reader.read('delayed_count', 'count');
  const whole = available !== null && inFlight !== null && delayed !== null;
  return reader.reading(whole ? available + inFlight + delayed : null);
}

/** `balance_usd` of `GET /v1/account/balance`. */
export function readBalance(figures: Figures): Reading<number | null> {
  const reader = new FigureReader(figures);
  return reader.reading(reader.read('balance_usd', 'amount'));
}

class FigureReader {
  readonly #figures: Figures;
  readonly #prefix: string;
  readonly #invalid: InvalidFigure[] = [];

  constructor(figures: Figures, prefix = '') {
    this.#figures = figures;
    this.#prefix = prefix;
  }

  read(name: string, kind: Kind): number | null {
    const value = Object.hasOwn(this.#figures, name) ? this.#figures[name] : undefined;
    const fault = faultOf(value, kind);
    if (fault === null) return value as number;
    this.#invalid.push({ figure: `${this.#prefix}${name}`, fault });
    return null;
  }

  reading<Value>(value: Value): Reading<Value> {
    return { value, invalid: this.#invalid };
  }
}

/** No conversion: a service that begins to send "7" may as well begin to send "7 or more". */
function faultOf(value: unknown, kind: Kind): FigureFault | null {
  if (value === undefined) return 'MISSING';
  if (value === null) return 'NULL';
  if (typeof value !== 'number') return 'NOT_A_NUMBER';
  if (!Number.isFinite(value)) return 'NOT_FINITE';
  if (value < 0) return 'NEGATIVE';
  if (kind === 'count' && !Number.isInteger(value)) return 'NOT_WHOLE';
  return value > Number.MAX_SAFE_INTEGER ? 'TOO_LARGE' : null;
}
