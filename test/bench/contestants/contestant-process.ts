import type { QueueLoad } from '../backends/queue-backend.ts';
import type { ContestantModule, ContestantSettings } from './contestant.ts';

export type ContestantMessage =
  | { readonly kind: 'prepare'; readonly load: QueueLoad }
  | { readonly kind: 'drain'; readonly concurrency: number; readonly load: QueueLoad };

/** One drain as the contestant's own process saw it. */
export type DrainFigures = {
  readonly wallMs: number;
  readonly userMs: number;
  readonly systemMs: number;
  readonly peakRssMb: number;
};

export type ContestantReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drained'; readonly figures: DrainFigures }
  | { readonly kind: 'failed'; readonly problem: string };

const [modulePath = '', settingsJson = '{}'] = process.argv.slice(2);
const { openContestant } = (await import(modulePath)) as ContestantModule;
const contestant = openContestant(JSON.parse(settingsJson) as ContestantSettings);

async function drain(concurrency: number, load: QueueLoad): Promise<DrainFigures> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await contestant.drain(concurrency, load);
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return { wallMs, userMs: user / 1000, systemMs: system / 1000, peakRssMb };
}

async function answer(message: ContestantMessage): Promise<ContestantReply> {
  if (message.kind === 'prepare') {
    await contestant.prepare?.(message.load);
    return { kind: 'ready' };
  }
  return { kind: 'drained', figures: await drain(message.concurrency, message.load) };
}

function reply(message: ContestantReply): void {
  process.send?.(message);
}

process.on('message', (message: ContestantMessage) => {
  answer(message).then(reply, (error: unknown) => {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    reply({ kind: 'failed', problem });
  });
});
process.on('disconnect', () => process.exit());

reply({ kind: 'ready' });
