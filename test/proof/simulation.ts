import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Findings, type Part, type PartOptions } from '#test/proof/part.ts';
import { playSideBySide } from '#test/proof/sim-crew.ts';
import {
  type EpisodeOptions,
  type EpisodeResult,
  nameOf,
  playEpisode,
} from '#test/proof/sim-episode.ts';
import { MIXES } from '#test/proof/sim-mix.ts';

const SIZES = {
  short: { reminders: 250, days: 2, seeds: 1, threads: 1 },
  full: { reminders: 12_000, days: 4, seeds: 5, threads: availableParallelism() },
} as const;
/** Enough of a story to follow it; the seed gives the rest. */
const MOST_STORY_LINES = 60;

export const simulation: Part = {
  name: 'simulation',
  alone: true,
  shows:
    'days of traffic through outages, lost answers, ended and frozen workers, clocks apart, pauses, redrives, a person’s decisions and a key rotation lose no reminder and send none twice, for every class and policy',
  run: async (options) => {
    const findings = new Findings('simulation', options);
    const { threads } = SIZES[options.scale];
    const episodes = episodesOf(options);
    options.log(`${episodes.length} episodes of ${episodes[0]?.reminders} reminders`);
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const results = await playSideBySide(episodes, threads);
    const wallSeconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpuBefore);
    for (const [index, result] of results.entries()) {
      const episode = episodes[index];
      if (episode !== undefined) await note(episode, result, findings);
    }
    const total = episodes.reduce((sum, { reminders }) => sum + reminders, 0);
    const perSecond = Math.round(total / wallSeconds);
    const perCpuSecond = Math.round((total * 1e6) / (user + system));
    const pace = `${perSecond} reminders a second of wall time on ${threads} thread(s), ${perCpuSecond} a second of processor time, faults included`;
    options.log(pace);
    findings.note(pace);
    findings.note(
      `digest of all episodes: ${digestOf(results)}, the same for any number of threads`,
    );
    await playTwice(options.seed, findings);
    return findings.report();
  },
};

function episodesOf({ seed, scale }: PartOptions): readonly EpisodeOptions[] {
  const { reminders, days, seeds } = SIZES[scale];
  const rounds = Array.from({ length: seeds }, (_, round) => seed * 1_000 + round * 100);
  return rounds.flatMap((first) =>
    MIXES.map((mix, index) => ({ seed: first + index, mix, reminders, days })),
  );
}

function digestOf(results: readonly EpisodeResult[]): string {
  const digests = results.map(({ digest }) => digest);
  return hash('sha256', digests.join()).slice(0, 16);
}

async function note(
  episode: EpisodeOptions,
  result: EpisodeResult,
  findings: Findings,
): Promise<void> {
  findings.count('episodes');
  findings.count('reminders', episode.reminders);
  findings.count('virtual days', result.virtualDays);
  for (const [name, count] of Object.entries(result.counts)) findings.count(name, count);
  if (result.broken.length > 0) await tell(episode, result, findings);
}

/**
 * The same seed must give the same rows, here and in a thread, or no story of a failure could be
 * trusted.
 */
async function playTwice(seed: number, findings: Findings): Promise<void> {
  const [mix] = MIXES;
  if (mix === undefined) return;
  const episode = { seed, mix, reminders: 200, days: 2 };
  const threads = await playSideBySide([episode, episode], 1);
  const digests = [await playEpisode(episode), ...threads].map(({ digest }) => digest);
  findings.count('plays of one seed', digests.length);
  if (new Set(digests).size === 1) return;
  const what = `the same seed gave ${digests.join(', ')}`;
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
