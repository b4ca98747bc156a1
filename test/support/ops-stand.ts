import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import { identifyDelivery } from '#app/identify-delivery.ts';
import { loadConsumerConfig } from '#config/consumer-config.ts';
import { deliverySettings } from '#config/delivery-config.ts';
import { LOCAL_CONNECTION_VARIABLE, type LocalConnection } from '#config/local-connection.ts';
import type { ClaimToken } from '#core/brand.ts';
import { firstClaim } from '#core/claim.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { ExitCode } from '#functions/ops/exit-codes.ts';
import { main } from '#functions/ops/main.ts';
import { LOCAL_QUEUE } from '#infra/local/local-settings.ts';
import { RunningStage, type RunningStageOptions } from '#infra/local/running-stage.ts';
import { fakeTerminal } from '#test/support/fake-terminal.ts';
import { type CommandResult, runCommand } from '#test/support/run-command.ts';
import { openBackends } from '#wiring/backends.ts';
import { openSecrets } from '#wiring/open-secrets.ts';

export const OPS_CLI = 'functions/ops/cli.ts';
/** Where the stage's clock stands when it starts. */
export const STAGE_NOW = Date.parse('2026-07-26T09:00:00Z');

/** A running local stage and the command line against it. */
export type OpsStand = {
  readonly running: RunningStage;
  readonly folder: string;
  /** In a process of its own, as a person runs it. */
  ops(...args: readonly string[]): Promise<CommandResult>;
  /** In this process: faster, for the many. */
  inProcess(...args: readonly string[]): Promise<CommandResult & { readonly code: ExitCode }>;
  /** `--json`, parsed. */
  json(...args: readonly string[]): Promise<Record<string, unknown>>;
  file(name: string, text: string): string;
  /** Another connection file with some of the stage's variables changed. */
  connectionWith(env: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** A row as after a claim at the stage's start, changed at will. */
  plantRow(payload: object, change?: Partial<LedgerRecord>): Promise<LedgerRecord>;
  readRow(sendKey: string): Promise<LedgerRecord | undefined>;
  /** Straight into the dead-letter queue, as after three deliveries. */
  plantDeadLetters(...payloads: readonly object[]): void;
  close(): Promise<void>;
};

export async function openOpsStand(options: Partial<RunningStageOptions> = {}): Promise<OpsStand> {
  const folder = mkdtempSync(join(tmpdir(), 'remind-once-ops-'));
  const connectionPath = join(folder, 'stage.json');
  const running = await RunningStage.open(
    {
      engine: 'dynalite',
      seed: 1,
      providerClass: 'dedupes',
      blindPolicy: 'park',
      faults: 'calm',
      useBySeconds: 48 * 3600,
      consumers: 1,
      concurrency: 4,
      live: null,
      logPath: join(folder, 'stage.log'),
      offsetMs: STAGE_NOW - Date.now(),
      every: { consumer: 300, redrive: null, stats: null },
      connectionPath,
      ...options,
    },
    { consumed() {}, redriven() {}, judged() {}, problem() {} },
  );
  const { env, offsetMs } = running.connection;
  const connected = { [LOCAL_CONNECTION_VARIABLE]: connectionPath };
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith('AWS_')) process.env[name] = value;
  }
  const clock = { ...systemClock, now: () => Date.now() + offsetMs };
  const config = loadConsumerConfig(env);
  const settings = deliverySettings(config.delivery);
  const backends = await openBackends(
    config,
    { concurrency: 4, queueCallMs: 5000, ledgerCallMs: 5000 },
    {
      ...{ clock, random: systemRandom, secrets: openSecrets(env) },
      telemetry: { log() {}, count() {}, gauge() {}, sample() {} },
    },
  );
  const inProcess: OpsStand['inProcess'] = async (...args) => {
    const { terminal, written } = fakeTerminal({ ...process.env, ...connected });
    const code = await main(args, terminal);
    return { code, ...written() };
  };
  return {
    running,
    folder,
    inProcess,
    ops: (...args) => runCommand(OPS_CLI, args, connected),
    json: async (...args) => JSON.parse((await inProcess(...args, '--json')).stdout),
    file(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    connectionWith(change) {
      const path = join(folder, `${randomUUID()}.json`);
      const connection: LocalConnection = { ...running.connection, env: { ...env, ...change } };
      writeFileSync(path, JSON.stringify(connection));
      return { [LOCAL_CONNECTION_VARIABLE]: path };
    },
    async plantRow(payload, change = {}) {
      const deps = { ...backends, defaultChannel: config.defaultChannel };
      const identified = identifyDelivery({ payload }, deps);
      if (identified.kind === 'invalid') throw new Error(identified.reason);
      const token = systemRandom.token() as ClaimToken;
      const row = {
        ...firstClaim(identified.delivery, token, STAGE_NOW - 3_600_000, settings),
        ...change,
      };
      const answer = await backends.ledger.claim(row);
      if (answer.kind !== 'claimed') throw new Error(`the row was not planted: ${answer.kind}`);
      return row;
    },
    async readRow(sendKey) {
      const answer = await backends.ledger.read(sendKey as LedgerRecord['sendKey']);
      return answer.kind === 'row' ? answer.row : undefined;
    },
    plantDeadLetters(...payloads) {
      const { queue } = running.stage;
      if (queue === null) throw new Error('the stage has no emulated queue');
      const { model } = queue;
      const { behaviour } = model;
      model.behaviour = { ...behaviour, redeliveryDelayMs: 0, redeliveryJitterMs: 0 };
      // Within one turn of the event loop: no consumer comes in between.
      let now = queue.clock.now();
      for (const payload of payloads) {
        model.publish({ queue: LOCAL_QUEUE, payload, idempotencyKey: randomUUID() }, now);
      }
      for (let delivery = 1; delivery <= 3; delivery += 1) {
        for (;;) {
          const pulled = model.consume({ queue: LOCAL_QUEUE, maxMessages: 10, leaseMs: 1 }, now);
          if (pulled.kind === 'refused' || pulled.messages.length === 0) break;
        }
        now += 2;
      }
      model.messages(LOCAL_QUEUE, now);
      model.behaviour = behaviour;
    },
    async close() {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Looks again until it is so; fails by the test's own time-out, with the last value seen. */
export async function until<Value>(
  look: () => Promise<Value>,
  isSo: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await look();
    if (isSo(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
