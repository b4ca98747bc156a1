import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { answerControl, controlClock, controlFaults } from '../control-route.ts';
import { providerFaultsBody } from './fault-mixes.ts';
import type { ProviderEmulator } from './provider-emulator.ts';

const users = z.strictObject({
  /** null: this user is unknown. */
  users: z.record(z.string(), z.union([z.string(), z.null()])),
});

/** The routes by which a person or another process drives the emulator. */
export function handleProviderControl(
  emulator: ProviderEmulator,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const routes = {
    'GET /_emulator/effects': () => effects(emulator),
    'GET /_emulator/state': () => state(emulator),
    'POST /_emulator/clock': (body: unknown) => controlClock(emulator.clock, body),
    'POST /_emulator/faults': (body: unknown) => planFaults(emulator, body),
    'POST /_emulator/directory': (body: unknown) => {
      for (const [id, address] of Object.entries(users.parse(body).users)) {
        emulator.directory.set(id, address);
      }
    },
    'POST /_emulator/reset': () => emulator.reset(),
  };
  return answerControl(routes, request, response, path);
}

function planFaults(emulator: ProviderEmulator, body: unknown): unknown {
  const schema = providerFaultsBody(emulator.routes);
  return controlFaults(emulator.faults, schema.parse(body));
}

function effects(emulator: ProviderEmulator): unknown {
  const { effects: ledger } = emulator;
  return {
    total: ledger.total,
    keys: ledger.keyCount,
    duplicated: Object.fromEntries(ledger.duplicated()),
    counts: ledger.counts(),
    records: ledger.records(),
  };
}

function state(emulator: ProviderEmulator): unknown {
  return {
    now: emulator.clock.now(),
    frozen: emulator.clock.frozen,
    profiles: Object.fromEntries(
      emulator.names.map((name) => {
        const { providerClass, uncommittedCount } = emulator.model(name);
        return [name, { providerClass, uncommitted: uncommittedCount }];
      }),
    ),
    effects: { total: emulator.effects.total, keys: emulator.effects.keyCount },
    faults: emulator.faults.describe(),
    calls: emulator.calls.counts(),
  };
}
