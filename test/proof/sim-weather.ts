import type { EpochMs } from '#core/brand.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import type { Random } from '#ports';
import { WEATHERS, type Weather } from '#test/proof/sim-mix.ts';
import type { Fate, PortCall } from '#test/support/fated-worker.ts';

const MINUTE = 60_000;

/** The weather of an episode: spells of minutes to hours, half of them calm, then calm for good. */
export class WeatherReport {
  readonly #spells: { readonly from: EpochMs; readonly weather: Weather }[] = [];

  constructor(random: Random, from: EpochMs, until: EpochMs) {
    for (let at = from; at < until; ) {
      const calm = random.fraction() < 0.5;
      const pick = WEATHERS[Math.floor(random.fraction() * WEATHERS.length)] ?? 'calm';
      this.#spells.push({ from: at, weather: calm ? 'calm' : pick });
      at += MINUTE * (5 + Math.floor(random.fraction() * (calm ? 240 : 120)));
    }
    this.#spells.push({ from: until, weather: 'calm' });
  }

  at(now: EpochMs): Weather {
    while (this.#spells[1] !== undefined && this.#spells[1].from <= now) this.#spells.shift();
    return this.#spells[0]?.weather ?? 'calm';
  }
}

export function behaviourIn(weather: Weather, random: Random): ProviderBehaviour | undefined {
  const draw = random.fraction();
  switch (weather) {
    case 'provider defers':
      return draw < 0.7
        ? { kind: 'defer', retryAfter: { seconds: Math.floor(draw * 200) } }
        : undefined;
    case 'provider hangs':
      if (draw < 0.3) return { kind: 'hang', accepted: draw < 0.15 };
      return draw < 0.5 ? { kind: 'slow-commit', commitMs: Math.floor(draw * 29_000) } : undefined;
    case 'provider resets':
      return draw < 0.5 ? { kind: 'reset', accepted: draw < 0.25 } : undefined;
    case 'provider rejects some':
      return draw < 0.2 ? { kind: 'reject' } : undefined;
    case 'provider refuses us':
      return { kind: 'auth-failure' };
    case 'provider gives no receipt':
      return draw < 0.3 ? { kind: 'no-receipt', accepted: draw < 0.2 } : undefined;
    default:
      return draw < 0.001 ? { kind: 'reset', accepted: draw < 0.0005 } : undefined;
  }
}

/**
 * What becomes of a port call. A send is frozen for no longer than the margin that the lease keeps
 * after it (send time-out and commit time): nothing that a client does can mend a longer one.
 */
export function fateIn(weather: Weather, random: Random, call: PortCall, marginMs: number): Fate {
  const draw = random.fraction();
  const { port } = call;
  if (port === 'clock') return 'goes-on';
  switch (weather) {
    case 'queue unwell':
      return port === 'queue' && draw < 0.5 ? either(draw < 0.3) : 'goes-on';
    case 'queue out of credit':
      return call.method === 'publish' ? 'not-applied' : 'goes-on';
    case 'ledger unwell':
      return port === 'ledger' && draw < 0.95 ? either(draw < 0.85) : 'goes-on';
    case 'ledger answers lost':
      return port === 'ledger' && draw < 0.3 ? 'answer-lost' : 'goes-on';
    case 'workers end':
      if (draw < 0.01) return 'ended-before';
      return draw < 0.02 ? 'ended-after' : 'goes-on';
    case 'workers freeze': {
      if (draw > 0.06) return 'goes-on';
      const mostMs = call.method === 'send' || call.method === 'query' ? marginMs : 600_000;
      const frozen = draw < 0.02 ? 'before' : 'after';
      return { frozen, forMs: Math.floor(random.fraction() * mostMs) };
    }
    default:
      return draw < 0.0001 ? 'ended-after' : 'goes-on';
  }
}

function either(notApplied: boolean): Fate {
  return notApplied ? 'not-applied' : 'answer-lost';
}
