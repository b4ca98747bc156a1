import { Option } from 'commander';
import type * as z from 'zod';
import { controlFaults } from '../control-route.ts';
import { emulatorCommand, faultsOption, runEmulatorCli, wholeNumber } from '../emulator-cli.ts';
import { answerStyleSchema } from './answer-style.ts';
import { QUEUE_FAULT_MIXES, queueFaultsBody } from './fault-mixes.ts';
import type { QueueBehaviour } from './queue-contract.ts';
import { type QueueEmulator, startQueueEmulator } from './queue-emulator.ts';

type CliOptions = {
  readonly port: number;
  readonly host: string;
  readonly seed: number;
  readonly latency: number;
  readonly queue: readonly string[];
  readonly apiKey?: string;
  readonly balance: number;
  readonly visibility: QueueBehaviour['visibility'];
  readonly redeliveryMs: number;
  readonly keyConflict: QueueBehaviour['keyConflict'];
  readonly consumeWrapper: 'items' | 'messages' | 'array';
  readonly faults?: z.output<typeof queueFaultsBody>;
};

const command = emulatorCommand('emulator', 'The Infrai queue, played on this machine.', 4100)
  .option('--queue <names...>', 'queues that exist from the start', ['reminders'])
  .option('--api-key <key>', 'the only bearer key accepted; any when not given')
  .option('--balance <usd>', 'prepaid money, whole dollars', wholeNumber(0), 1_000)
  .addOption(
    new Option('--visibility <mode>', 'whether visibility_timeout is obeyed')
      .choices(['honoured', 'ignored'])
      .default('honoured'),
  )
  .option('--redelivery-ms <ms>', 'lease when nobody sets one', wholeNumber(0), 6_000)
  .addOption(
    new Option('--key-conflict <mode>', 'same idempotency key, other body')
      .choices(['first-result', 'refused'])
      .default('first-result'),
  )
  .addOption(
    new Option('--consume-wrapper <form>', 'form of a consume answer')
      .choices(answerStyleSchema.shape.consumeWrapper.options)
      .default('items'),
  )
  .addOption(faultsOption(QUEUE_FAULT_MIXES, queueFaultsBody));

await runEmulatorCli(command, async (options: CliOptions) => {
  const emulator = await startQueueEmulator({
    port: options.port,
    host: options.host,
    seed: options.seed,
    queues: options.queue,
    balanceUsd: options.balance,
    ...(options.apiKey !== undefined && { apiKeys: [options.apiKey] }),
    behaviour: {
      visibility: options.visibility,
      redeliveryDelayMs: options.redeliveryMs,
      keyConflict: options.keyConflict,
    },
    style: { consumeWrapper: options.consumeWrapper },
  });
  if (options.faults !== undefined) controlFaults(emulator.faults, options.faults);
  if (options.latency > 0) emulator.faults.latencyMs = options.latency;
  return { emulator, usage: usage(emulator, options) };
});

function usage({ url }: QueueEmulator, options: CliOptions): string {
  const queue = options.queue[0] ?? 'reminders';
  const key = options.apiKey === undefined ? 'any-key' : '<the key given>';
  const call = (path: string, body: string): string =>
    `  curl -s ${url}${path} -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${body}'`;
  return [
    `Infrai queue emulator on ${url}`,
    `  INFRAI_BASE_URL=${url}  queues: ${options.queue.join(', ')}`,
    '',
    call('/v1/queue/publish', `{"queue":"${queue}","payload":{"n":1}}`),
    call('/v1/queue/consume', `{"queue":"${queue}","max_messages":10}`),
    `  curl -s ${url}/v1/queue/stats/${queue} -H 'authorization: Bearer ${key}'`,
    '',
    'Driven by (no key): GET /_emulator/state, POST /_emulator/{clock,faults,settings,reset}',
    `  curl -s ${url}/_emulator/clock -d '{"advance_ms":6000}'`,
    `  curl -s ${url}/_emulator/faults -d '{"script":[{"route":"queue.ack","times":1,"fault":{"kind":"dropped","applied":true}}]}'`,
    'Ctrl-C ends it.',
  ].join('\n');
}
