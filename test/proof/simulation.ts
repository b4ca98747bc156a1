import { Findings, type Part } from '#test/proof/part.ts';
import { type EpisodeOptions, type EpisodeResult, playEpisode } from '#test/proof/sim-episode.ts';
import { MIXES } from '#test/proof/sim-mix.ts';

const SIZES = {
  short: { reminders: 250, days: 2, seeds: 1 },
  full: { reminders: 8_000, days: 4, seeds: 1 },
} as const;
/** Enough of a story to follow it; the seed gives the rest. */
const MOST_STORY_LINES = 60;

export const simulation: Part = {
  name: 'simulation',
  shows:
    'days of traffic through outages, lost answers, ended and frozen workers, clocks apart, pauses, redrives and a key rotation lose no reminder and send none twice, for every class and policy',
  run: async (options) => {
    const findings = new Findings('simulation', options);
    const { reminders, days, seeds } = SIZES[options.scale];
    const cpuBefore = process.cpuUsage();
    for (let round = 0; round < seeds; round += 1) {
      for (const [index, mix] of MIXES.entries()) {
        const seed = options.seed * 1_000 + round * 100 + index;
        await playOne({ seed, mix, reminders, days }, findings);
      }
      options.log(`round ${round + 1} of ${seeds}: ${MIXES.length} mixes of ${reminders}`);
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const total = seeds * MIXES.length * reminders;
    const perSecond = Math.round(total / ((user + system) / 1e6));
    findings.note(`${perSecond} reminders a second of processor time, faults included`);
    await playTwice(options.seed, findings);
    return findings.report();
  },
};

async function playOne(episode: EpisodeOptions, findings: Findings): Promise<void> {
  const result = await playEpisode(episode);
  findings.count('episodes');
  findings.count('reminders', episode.reminders);
  findings.count('virtual days', result.virtualDays);
  for (const [name, count] of Object.entries(result.counts)) findings.count(name, count);
  if (result.broken.length > 0) await tell(episode, result, findings);
}

/** The same seed must give the same rows, or no story of a failure could be trusted. */
async function playTwice(seed: number, findings: Findings): Promise<void> {
  const [mix] = MIXES;
  if (mix === undefined) return;
  const episode = { seed, mix, reminders: 200, days: 2 };
  const [one, other] = [await playEpisode(episode), await playEpisode(episode)];
  if (one.digest === other.digest) return;
  const what = `the same seed gave ${one.digest} and ${other.digest}`;
  findings.violation({ where: nameOf(episode), what, story: [] });
}

/** The smallest episode of this seed that still breaks a promise, and what one reminder met in it. */
async function tell(
  episode: EpisodeOptions,
  result: EpisodeResult,
  findings: Findings,
): Promise<void> {
  let smallest = { episode, result };
  for (let reminders = episode.reminders >> 1; reminders > 0; reminders >>= 1) {
    const smaller = { ...episode, reminders };
    const again = await playEpisode(smaller);
    if (again.broken.length > 0) smallest = { episode: smaller, result: again };
  }
  for (const { reminder, what } of smallest.result.broken) {
    const traced = await playEpisode({ ...smallest.episode, trace: Math.max(0, reminder) });
    findings.violation({
      where: `${nameOf(smallest.episode)}, reminder ${reminder}`,
      what,
      story: traced.story.slice(-MOST_STORY_LINES),
    });
  }
}

function nameOf({ seed, mix, reminders, days }: EpisodeOptions): string {
  return `${mix.name}: seed ${seed}, ${reminders} reminders over ${days} days`;
}
