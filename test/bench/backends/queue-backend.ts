import { reminderPayload } from '../reminders.ts';
import type { LeanAnswer, LeanRequest } from './lean-http-server.ts';

/** What a drain finds in the queue. */
export type QueueLoad = {
  /** Unique reminders. */
  readonly reminders: number;
  /** Deliveries of each reminder; the repeats come after all first ones. */
  readonly copies: number;
  /** Makes the reminders of this load others than those of any other. */
  readonly batch: string;
};

const STATS =
  '{"available_count":0,"in_flight_count":0,"delayed_count":0,"dlq_count":0,"oldest_message_age_seconds":0}';

/**
 * The queue's consume and ack (docs of the Infrai queue API: shapes only). Messages are made as
 * they are asked for, so that a long backlog costs no memory; a message is handed out once.
 */
export class QueueBackend {
  #load: QueueLoad = { reminders: 0, copies: 1, batch: 'none' };
  #next = 0;
  readonly counts = { consumes: 0, delivered: 0, acked: 0 };

  fill(load: QueueLoad): void {
    this.#load = load;
    this.#next = 0;
    Object.assign(this.counts, { consumes: 0, delivered: 0, acked: 0 });
  }

  handle(request: LeanRequest): LeanAnswer {
    if (request.path === '/v1/queue/ack') {
      this.counts.acked += 1;
      return ok('{"acked":true}');
    }
    if (request.path === '/v1/queue/consume') return this.#consume(request.body);
    if (request.path.startsWith('/v1/queue/stats/')) return ok(STATS);
    if (request.path === '/v1/account/balance') return ok('{"balance_usd":100,"currency":"USD"}');
    return { status: 400, body: '{"ok":false,"error":{"code":"NOT_PLAYED"}}' };
  }

  #consume(body: string): LeanAnswer {
    this.counts.consumes += 1;
    const { max_messages: wanted } = JSON.parse(body) as { max_messages: number };
    const total = this.#load.reminders * this.#load.copies;
    const items: unknown[] = [];
    while (items.length < wanted && this.#next < total) {
      const index = this.#next % this.#load.reminders;
      items.push({
        message_id: `qmsg_${this.#load.batch}${String(this.#next).padStart(12, '0')}`,
        payload: reminderPayload(this.#load.batch, index),
        delivery_count: 1,
      });
      this.#next += 1;
    }
    this.counts.delivered += items.length;
    return ok(JSON.stringify({ items }));
  }
}

function ok(data: string): LeanAnswer {
  return { status: 200, body: `{"ok":true,"data":${data},"error":null,"metadata":{}}` };
}
