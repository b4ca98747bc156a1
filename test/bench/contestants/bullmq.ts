import { type Job, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { reminderPayload } from '../reminders.ts';
import type { Contestant, ContestantSettings } from './contestant.ts';
import { openPlainAdapters, type ReminderPayload } from './plain-adapters.ts';
import { SendLimit } from './send-limit.ts';

const BULK = 500;

/** (c) BullMQ with a deduplication id of the same three fields, its queue and ledger in Redis. */
export function openContestant(settings: ContestantSettings): Contestant {
  const connect = () =>
    new Redis({ host: '127.0.0.1', port: settings.redisPort ?? 0, maxRetriesPerRequest: null });
  const connection = connect();
  const queue = new Queue<ReminderPayload>('bench', { connection });

  return {
    async prepare(load) {
      await queue.obliterate({ force: true });
      for (let from = 0; from < load.reminders; from += BULK) {
        const to = Math.min(load.reminders, from + BULK);
        const jobs = Array.from({ length: to - from }, (_, offset) => {
          const data = reminderPayload(load.batch, from + offset) as ReminderPayload;
          const id = `${data.user_id}#${data.reminder_id}#${data.scheduled_at}`;
          const opts = { deduplication: { id }, removeOnComplete: true };
          return { name: 'reminder', data, opts };
        });
        await queue.addBulk(jobs);
      }
    },
    async drain(concurrency, load) {
      const plain = openPlainAdapters(settings, concurrency);
      const limit = new SendLimit(concurrency);
      const done = Promise.withResolvers<void>();
      let completed = 0;
      const worker = new Worker<ReminderPayload>(
        'bench',
        (job: Job<ReminderPayload>) => limit.run(() => plain.send(job.data)),
        { connection: connect(), concurrency: concurrency * 2, autorun: false },
      );
      worker.on('completed', () => {
        completed += 1;
        if (completed === load.reminders) done.resolve();
      });
      worker.on('failed', (_job, error) => done.reject(error));
      worker.on('error', (error) => done.reject(error));
      const running = worker.run();
      await done.promise;
      await worker.close();
      await running;
    },
    close: () => queue.close(),
  };
}
