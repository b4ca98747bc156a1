import type { DeliveryDeps } from '#app/delivery-deps.ts';
import type { ConsumeAnswer, Queue } from '#ports';
import { aPayload, World, type WorldOptions } from '#test/support/world.ts';

/** A world whose queue holds `count` due reminders of different users. */
export function withReminders(count: number, options: WorldOptions = {}): World {
  const world = new World(options);
  for (let user = 0; user < count; user += 1) world.publish(aPayload({ user_id: `u_${user}` }));
  return world;
}

/** The world's queue, watched: what was asked for, what is in hand. */
export function watched(world: World, change: Partial<Queue> = {}) {
  const asked: { readonly wanted: number; readonly inHand: number; readonly at: number }[] = [];
  const { queue } = world;
  let inHand = 0;
  const watchedQueue = {
    consume: async (request: Parameters<Queue['consume']>[0]): Promise<ConsumeAnswer> => {
      asked.push({ wanted: request.maxMessages, inHand, at: world.clock.now() });
      inHand += request.maxMessages;
      const answer = await (change.consume?.(request) ?? queue.consume(request));
      const got = answer.kind === 'messages' ? answer.messages.length : 0;
      inHand -= request.maxMessages - got;
      return answer;
    },
    publish: change.publish ?? queue.publish.bind(queue),
    ack: change.ack ?? queue.ack.bind(queue),
  };
  const done = () => {
    inHand -= 1;
    return 'go-on' as const;
  };
  const deps: DeliveryDeps = { ...world.deps(), queue: watchedQueue };
  return { deps, asked, done, inHand: () => inHand };
}
