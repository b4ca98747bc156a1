import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { answerControl, controlClock, controlFaults } from '../control-route.ts';
import { answerStyleSchema } from './answer-style.ts';
import { queueFaultsBody } from './fault-mixes.ts';
import type { QueueEmulator } from './queue-emulator.ts';

export const queueBehaviourSchema = z.strictObject({
  visibility: z.enum(['honoured', 'ignored']),
  redeliveryDelayMs: z.number().int().nonnegative(),
  redeliveryJitterMs: z.number().int().nonnegative(),
  keyConflict: z.enum(['first-result', 'refused']),
  derivedKeys: z.boolean(),
  bulkRedrive: z.enum(['ignored', 'works', 'refused']),
});

const settings = z.strictObject({
  behaviour: queueBehaviourSchema.partial().default({}),
  style: answerStyleSchema.partial().default({}),
  balanceUsd: z.number().nonnegative().optional(),
});

/** The routes outside the contract by which a person or another process drives the emulator. */
export function handleControl(
  emulator: QueueEmulator,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const routes = {
    'GET /_emulator/state': () => state(emulator),
    'POST /_emulator/clock': (body: unknown) => controlClock(emulator.clock, body),
    'POST /_emulator/faults': (body: unknown) =>
      controlFaults(emulator.faults, queueFaultsBody.parse(body)),
    'POST /_emulator/settings': (body: unknown) => applySettings(emulator, body),
    'POST /_emulator/reset': () => emulator.reset(),
  };
  return answerControl(routes, request, response, path);
}

function applySettings(emulator: QueueEmulator, body: unknown): unknown {
  const wanted = settings.parse(body);
  const { model, surface } = emulator;
  model.behaviour = { ...model.behaviour, ...withoutUndefined(wanted.behaviour) };
  surface.style = { ...surface.style, ...withoutUndefined(wanted.style) };
  if (wanted.balanceUsd !== undefined) model.account.balanceUsd = wanted.balanceUsd;
  return { behaviour: model.behaviour, style: surface.style };
}

function state(emulator: QueueEmulator): unknown {
  const { model, clock, faults: plan, surface } = emulator;
  const now = clock.now();
  const queues = model
    .list()
    .map((queue) => [
      queue.name,
      { ...queue.stats(now), deadLettered: queue.deadLettered, expired: queue.expired },
    ]);
  return {
    now,
    frozen: clock.frozen,
    balanceUsd: model.account.balanceUsd,
    counters: model.counters,
    behaviour: model.behaviour,
    style: surface.style,
    faults: plan.describe(),
    calls: surface.calls.counts(),
    queues: Object.fromEntries(queues),
  };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
