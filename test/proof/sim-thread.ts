import { parentPort } from 'node:worker_threads';
import { type EpisodeOptions, playEpisode } from '#test/proof/sim-episode.ts';

/** Plays each episode that it is handed, in a thread of its own, and answers with what came of it. */
parentPort?.on('message', async (episode: EpisodeOptions) => {
  parentPort?.postMessage(await playEpisode(episode));
});
