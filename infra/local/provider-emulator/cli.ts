import type { Command } from 'commander';
import type * as z from 'zod';
import { controlFaults } from '../control-route.ts';
import { emulatorCommand, faultsOption, runEmulatorCli } from '../emulator-cli.ts';
import { PROVIDER_FAULT_MIXES, providerFaultsBody } from './fault-mixes.ts';
import { ProviderEmulator } from './provider-emulator.ts';
import { VENDOR_SURFACES } from './vendors/vendor-surfaces.ts';

type CliOptions = {
  readonly port: number;
  readonly host: string;
  readonly seed: number;
  readonly latency: number;
  readonly faults?: z.output<ReturnType<typeof providerFaultsBody>>;
};

const command: Command = emulatorCommand(
  'provider',
  'Notification providers of each class, vendors and a user directory, played on this machine.',
  4200,
).addOption(
  faultsOption(
    PROVIDER_FAULT_MIXES,
    providerFaultsBody(new ProviderEmulator({ surfaces: VENDOR_SURFACES }).routes),
  ),
);

await runEmulatorCli(command, async (options: CliOptions) => {
  const emulator = new ProviderEmulator({ ...options, surfaces: VENDOR_SURFACES });
  if (options.faults !== undefined) controlFaults(emulator.faults, options.faults);
  if (options.latency > 0) emulator.faults.latencyMs = options.latency;
  await emulator.start();
  return { emulator, usage: usage(emulator) };
});

function usage({ url, names }: ProviderEmulator): string {
  return [
    `Provider emulator on ${url}`,
    `  profiles, and vendors in their own wire form: ${names.filter((name) => name !== 'directory').join(', ')}`,
    '',
    `  curl -s ${url}/send -H 'authorization: Bearer any' -H 'idempotency-key: k1' -H 'content-type: application/json' -d '{"n":1}'`,
    `  curl -s ${url}/send/queryable …   and   curl -s '${url}/messages/queryable?key=k1' …`,
    `  curl -s ${url}/directory/user-1`,
    '',
    'Driven by (no key): GET /_emulator/{effects,state}, POST /_emulator/{clock,faults,directory,reset}',
    `  curl -s ${url}/_emulator/faults -d '{"script":[{"route":"default","fault":{"kind":"reset","accepted":true}}]}'`,
    `  curl -s ${url}/_emulator/effects`,
    'Ctrl-C ends it.',
  ].join('\n');
}
