import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type EpisodeOptions, type EpisodeResult, nameOf } from '#test/proof/sim-episode.ts';

const THREAD = new URL('./sim-thread.ts', import.meta.url);

/** Room for a reminder to be published, sent and done with before the collector looks at it. */
const YOUNG_MB = 192;

/**
 * Plays episodes side by side. An episode shares nothing with another, and its seed decides all of
 * it: the results come in the order of the episodes, the same for any number of threads.
 */
export async function playSideBySide(
  episodes: readonly EpisodeOptions[],
  threads: number,
): Promise<readonly EpisodeResult[]> {
  const results: EpisodeResult[] = [];
  const left = episodes.entries();
  const crew = Array.from(
    { length: Math.min(threads, episodes.length) },
    () => new Worker(THREAD, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } }),
  );
  try {
    await Promise.all(
      crew.map(async (thread) => {
        for (const [index, episode] of left) results[index] = await playIn(thread, episode);
      }),
    );
  } finally {
    await Promise.all(crew.map((thread) => thread.terminate()));
  }
  return results;
}

/** What ends the thread ends the proof, and says of which episode. */
async function playIn(thread: Worker, episode: EpisodeOptions): Promise<EpisodeResult> {
  thread.postMessage(episode);
  try {
    const [result] = await once(thread, 'message');
    return result as EpisodeResult;
  } catch (error) {
    throw new Error(`${nameOf(episode)}: the episode ended early`, { cause: error });
  }
}
