import type { DrainCell } from '../parts/drain-rate.ts';
import { TITLES } from './aims.ts';

const WIDTH = 720;
const HEIGHT = 420;
const PLOT = { left: 70, right: 700, top: 40, bottom: 360 } as const;
const COLOURS = {
  product: '#0b6e4f',
  sequential: '#8d6e63',
  idempotency: '#c77700',
  bullmq: '#3f51b5',
} as const;

/** Whole-drain rate over concurrency, both logarithmic, with the limit as a dashed line. */
export function drainChart(cells: readonly DrainCell[], providerMs: number): string {
  const concurrencies = [...new Set(cells.map((cell) => cell.concurrency))].sort((a, b) => a - b);
  const limit = (concurrency: number) => (concurrency * 1000) / providerMs;
  const most = limit(concurrencies.at(-1) ?? 1);
  const least = Math.min(...cells.map((cell) => cell.perSecond.min));
  const x = scale(1, concurrencies.at(-1) ?? 2, PLOT.left, PLOT.right);
  const y = scale(least * 0.8, most * 1.2, PLOT.bottom, PLOT.top);
  const line = (points: readonly (readonly [number, number])[]) =>
    points.map(([c, rate]) => `${x(c).toFixed(1)},${y(rate).toFixed(1)}`).join(' ');
  const names = Object.keys(TITLES) as (keyof typeof TITLES)[];
  const series = names.map((name, index) => {
    const own = cells
      .filter((cell) => cell.contestant === name)
      .sort((a, b) => a.concurrency - b.concurrency);
    if (own.length === 0) return '';
    const first = own[0] as DrainCell;
    // The loop ignores concurrency: one rate for all.
    const points =
      name === 'sequential'
        ? concurrencies.map((c) => [c, first.perSecond.median] as const)
        : own.map((cell) => [cell.concurrency, cell.perSecond.median] as const);
    const bars = own
      .map(({ concurrency, perSecond }) => {
        const at = x(concurrency).toFixed(1);
        return `<line x1="${at}" x2="${at}" y1="${y(perSecond.min).toFixed(1)}" y2="${y(perSecond.max).toFixed(1)}" stroke="${COLOURS[name]}"/>`;
      })
      .join('');
    const legendY = PLOT.top + 10 + index * 18;
    return `<polyline fill="none" stroke="${COLOURS[name]}" stroke-width="2" points="${line(points)}"/>${bars}<text x="${PLOT.left + 14}" y="${legendY}" fill="${COLOURS[name]}">${TITLES[name]}</text>`;
  });
  const ticks = concurrencies
    .map(
      (c) =>
        `<text x="${x(c).toFixed(1)}" y="${PLOT.bottom + 18}" text-anchor="middle">${c}</text>`,
    )
    .join('');
  const decades = [1, 10, 100, 1000, 10_000]
    .filter((rate) => rate >= least * 0.8 && rate <= most * 1.2)
    .map(
      (rate) =>
        `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(rate).toFixed(1)}" y2="${y(rate).toFixed(1)}" stroke="#ddd"/><text x="${PLOT.left - 8}" y="${(y(rate) + 4).toFixed(1)}" text-anchor="end">${rate}</text>`,
    )
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" role="img" aria-label="Reminders sent a second over concurrency">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${PLOT.left}" y="22" font-weight="bold">Reminders a second, whole drain (queue 25 ms, ledger 5 ms, provider ${providerMs} ms)</text>
${decades}${ticks}
<text x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">sends at the provider at once</text>
<polyline fill="none" stroke="#555" stroke-dasharray="5 4" points="${line(concurrencies.map((c) => [c, limit(c)] as const))}"/>
<text x="${PLOT.right}" y="${PLOT.top - 2}" text-anchor="end" fill="#555">limit: concurrency / provider latency</text>
${series.join('\n')}
</svg>
`;
}

/** Logarithmic. */
function scale(low: number, high: number, from: number, to: number): (value: number) => number {
  const span = Math.log(high) - Math.log(low);
  return (value) => from + ((Math.log(value) - Math.log(low)) / span) * (to - from);
}
