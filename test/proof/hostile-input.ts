import { setTimeout as pause } from 'node:timers/promises';
import { isTerminal } from '#core/ledger-record.ts';
import { DEFAULT_STYLE } from '#infra/local/queue-emulator/answer-style.ts';
import { collectedPayloads, dueReminder } from '#test/proof/hostile/collected-payloads.ts';
import { DeliveryLines } from '#test/proof/hostile/delivery-lines.ts';
import { generatedPayloads } from '#test/proof/hostile/generated-payloads.ts';
import { hostileDates } from '#test/proof/hostile/hostile-dates.ts';
import type { Expected, HostilePayload } from '#test/proof/hostile/hostile-payload.ts';
import {
  ANSWER_STYLES,
  CONSUME_ANSWERS,
  PROVIDER_ANSWERS,
} from '#test/proof/hostile/odd-answers.ts';
import { operatorOutput } from '#test/proof/hostile/operator-output.ts';
import { leaksIn } from '#test/proof/hostile/planted.ts';
import { Findings, type Part, type PartOptions } from '#test/proof/part.ts';
import { type Artefacts, buildArtefacts } from '#test/proof/real/artefacts.ts';
import { LambdaProcess } from '#test/proof/real/lambda-process.ts';
import { keyOf } from '#test/proof/real/real-load.ts';
import { rowsOf } from '#test/proof/real/real-rows.ts';
import {
  FOR_CALM,
  type Lane,
  openRealStage,
  REAL_QUEUE,
  REAL_SECRETS,
  type RealStage,
} from '#test/proof/real/real-stage.ts';

const GENERATED = { full: 600, short: 100 } as const;
/** Dead-lettering takes three leases of two seconds; a starved machine takes longer. */
const QUIET_WITHIN_MS = 90_000;
/** A copy that is due later than this waits for its instant. */
const FAR_MS = 60_000;

export const hostileInput: Part = {
  name: 'hostile-input',
  shows:
    'no payload and no answer of any shape ends a batch, is acked unseen, or is found again in a log, a metric, the ledger or a report',
  run: async (options) => {
    const findings = new Findings('hostile-input', options);
    const [artefacts, stage] = await Promise.all([buildArtefacts(), openRealStage(options.seed)]);
    try {
      const lane = await stage.openLane(FOR_CALM);
      await new HostileRun(artefacts, stage, lane, findings, options).run();
    } finally {
      await stage.close();
      artefacts.remove();
    }
    return findings.report();
  },
};

type Planted = HostilePayload & { readonly messageId: string };

class HostileRun {
  readonly #artefacts: Artefacts;
  readonly #stage: RealStage;
  readonly #lane: Lane;
  readonly #findings: Findings;
  readonly #options: PartOptions;
  readonly #lines: DeliveryLines;
  readonly #planted: Planted[] = [];
  readonly #reports: unknown[] = [];

  constructor(
    artefacts: Artefacts,
    stage: RealStage,
    lane: Lane,
    findings: Findings,
    options: PartOptions,
  ) {
    this.#artefacts = artefacts;
    this.#stage = stage;
    this.#lane = lane;
    this.#findings = findings;
    this.#options = options;
    this.#lines = new DeliveryLines();
  }

  async run(): Promise<void> {
    const consumer = this.#start('consumer');
    await this.#payloads(consumer);
    await this.#oddAnswers(consumer);
    await consumer.close();
    await this.#brokenConfigurations();
    const stats = this.#start('stats-alarm');
    this.#noted('stats-alarm', await stats.invoke());
    await stats.close();
    const redrive = this.#start('redrive');
    this.#noted('redrive', await redrive.invoke());
    await this.#operator(redrive);
    await redrive.close();
    this.#judgeOutput();
    await this.#judgeLedger();
  }

  async #payloads(consumer: LambdaProcess): Promise<void> {
    const { seed, scale } = this.#options;
    const now = Date.now();
    const payloads = [
      ...collectedPayloads(now),
      ...hostileDates(),
      ...generatedPayloads(now, seed, GENERATED[scale]),
    ];
    for (const payload of payloads) this.#plant(payload);
    this.#findings.count('payloads', payloads.length);
    await this.#untilQuiet(consumer);
    await this.#judgePayloads();
  }

  /** Each odd answer comes before a good one: the good reminder is sent all the same. */
  async #oddAnswers(consumer: LambdaProcess): Promise<void> {
    const { queue, provider } = this.#lane;
    const names: string[] = [];
    const odd = async (name: string, prepare: () => void) => {
      const reminder = dueReminder(Date.now(), name.replace(/\W+/g, '-'));
      names.push(keyOf(reminder));
      this.#publish(reminder);
      prepare();
      this.#noted(name, await consumer.invoke());
      this.#findings.count('odd answers');
    };
    for (const [index, style] of ANSWER_STYLES.entries()) {
      await odd(`style ${index}`, () => {
        this.#stage.queue.surface.style = { ...DEFAULT_STYLE, ...style };
      });
    }
    this.#stage.queue.surface.style = { ...DEFAULT_STYLE };
    // A failed pull waits a second before the next one: the short form takes every fourth.
    const step = this.#options.scale === 'full' ? 1 : 4;
    for (const [index, answer] of CONSUME_ANSWERS.entries()) {
      if (index % step !== 0) continue;
      await odd(`consume ${index}`, () => queue.next('POST /v1/queue/consume', answer));
    }
    for (const [index, answer] of PROVIDER_ANSWERS.entries()) {
      await odd(`provider ${index}`, () => provider.next('POST /send/push', answer));
    }
    await this.#untilQuiet(consumer);
    const rows = await rowsOf(this.#stage, this.#findings);
    for (const [index, key] of names.entries()) {
      const row = rows.get(key);
      if (row !== undefined && isTerminal(row.state)) continue;
      this.#violation(`odd answer ${index}`, `its reminder ended as ${row?.state ?? 'no row'}`);
    }
  }

  async #judgePayloads(): Promise<void> {
    const rows = await rowsOf(this.#stage, this.#findings);
    const waiting = this.#messages('').map(({ payload }): string => keyOf(decoded(payload)));
    const dead = new Set(this.#messages('.dlq').map(({ messageId }) => messageId));
    for (const planted of this.#planted) {
      const line = this.#lines.last(planted.messageId);
      if (line === undefined) {
        this.#violation(planted.name, 'no line tells of it: acked or left unseen');
        continue;
      }
      const { outcome, reason, sendKey } = line;
      if (outcome === 'crashed') this.#violation(planted.name, `its delivery crashed: ${reason}`);
      const row = rows.get(sendKey ?? '');
      const became = becameOf({
        dead: dead.has(planted.messageId),
        waits: sendKey !== null && waiting.includes(sendKey),
        state: row?.state ?? null,
        effects: this.#stage.provider.effects.of(sendKey ?? ''),
      });
      this.#findings.count(`became ${became}`);
      if (became === 'invalid') this.#findings.count(`dead-lettered ${outcome} ${reason}`);
      if (became === 'lost') this.#violation(planted.name, `lost after ${outcome} ${reason}`);
      if (planted.expects !== undefined && became !== planted.expects) {
        const what = `${became} (${outcome} ${reason}) instead of ${planted.expects}`;
        this.#violation(planted.name, what);
      }
    }
    const counted = this.#lines.metric('InvalidMessages');
    const told = this.#lines.count('invalid');
    if (counted !== told) this.#violation('InvalidMessages', `${counted} counted, ${told} told`);
  }

  /** Secrets where their references belong, and secrets that are missing: what fails says no value. */
  async #brokenConfigurations(): Promise<void> {
    for (const change of brokenEnvironments()) {
      const env = { ...this.#lane.env, ...change };
      const broken = this.#start('consumer', env);
      const invoked = await broken.invoke();
      await broken.close();
      this.#findings.count('broken configurations');
      this.#reports.push(invoked);
      if (invoked.kind !== 'done') continue;
      this.#violation(Object.keys(change).join(), 'ran with a broken configuration');
    }
  }

  async #operator(redrive: LambdaProcess): Promise<void> {
    for (const { command, code, text } of await operatorOutput(this.#lane.env, redrive)) {
      this.#findings.count('commands of the operator');
      this.#findings.count('bytes of their output searched', text.length);
      if (text === '' || code === null || /\bat .*\.ts:\d+/.test(text)) {
        this.#violation(command, `broke with code ${code}`);
      }
      for (const leak of leaksIn(text)) this.#violation(command, `prints ${leak}`);
    }
  }

  #judgeOutput(): void {
    for (const line of this.#lines.unreadable) this.#violation('a line of output', line);
    for (const leak of leaksIn(this.#lines.text))
      this.#violation('logs and metrics', `hold ${leak}`);
    this.#findings.count('bytes of output searched', this.#lines.text.length);
    const reports = JSON.stringify(this.#reports);
    for (const leak of leaksIn(reports)) this.#violation('reports', `hold ${leak}`);
    this.#findings.count('bytes of reports searched', reports.length);
  }

  async #judgeLedger(): Promise<void> {
    const items = await this.#stage.scan();
    this.#findings.count('ledger items searched', items.length);
    for (const item of items) {
      for (const leak of leaksIn(JSON.stringify(item))) {
        this.#violation(String(item['pk']), `the ledger holds ${leak}`);
      }
    }
  }

  #plant(payload: HostilePayload): void {
    const messageId = this.#publish(payload.payload);
    this.#planted.push({ ...payload, messageId });
  }

  #publish(payload: unknown): string {
    const { model, clock } = this.#stage.queue;
    const idempotencyKey = `producer-${model.counters.published}`;
    const answer = model.publish({ queue: REAL_QUEUE, payload, idempotencyKey }, clock.now());
    if (answer.kind !== 'published') throw new Error(`not published: ${answer.code}`);
    return answer.messageId;
  }

  async #untilQuiet(consumer: LambdaProcess): Promise<void> {
    const endsAt = Date.now() + QUIET_WITHIN_MS;
    const soon = () => this.#messages('').some(({ dueAt }) => (dueAt ?? 0) < Date.now() + FAR_MS);
    while (soon() && Date.now() < endsAt) {
      this.#noted('a run', await consumer.invoke());
      await pause(200);
    }
    if (soon()) this.#violation(REAL_QUEUE, 'not quiet in time');
  }

  #noted(name: string, invoked: { readonly kind: string; readonly code?: string }): void {
    this.#findings.count('invocations');
    this.#reports.push(invoked);
    if (invoked.kind === 'done') return;
    this.#violation(name, `its invocation ${invoked.kind} ${invoked.code ?? ''}`);
  }

  #messages(suffix: '' | '.dlq') {
    const { model, clock } = this.#stage.queue;
    return model.messages(`${REAL_QUEUE}${suffix}`, clock.now());
  }

  #start(name: 'consumer' | 'redrive' | 'stats-alarm', env = this.#lane.env): LambdaProcess {
    return new LambdaProcess({
      artefact: this.#artefacts[name],
      env,
      onOutput: (text) => this.#lines.take(text),
    });
  }

  #violation(where: string, what: string): void {
    this.#findings.violation({ where, what, story: [] });
  }
}

function brokenEnvironments(): readonly Readonly<Record<string, string>>[] {
  const { INFRAI_API_KEY, SEND_KEY_SECRET, PROVIDER_TOKEN } = REAL_SECRETS;
  const channel = { provider: 'http', url: 'https://example.org/send' };
  const login = `https://ann:${PROVIDER_TOKEN}@example.org/send`;
  return [
    { INFRAI_API_KEY_SECRET: INFRAI_API_KEY },
    { KEY_EPOCHS: JSON.stringify([{ id: 'first', secretRef: SEND_KEY_SECRET }]) },
    { KEY_EPOCHS: SEND_KEY_SECRET },
    { CHANNELS: JSON.stringify({ push: { ...channel, secretRef: PROVIDER_TOKEN } }) },
    { CHANNELS: JSON.stringify({ push: { ...channel, url: login } }) },
    { CHANNELS: PROVIDER_TOKEN },
    { INFRAI_BASE_URL: login },
    { INFRAI_API_KEY: '' },
    { SEND_KEY_SECRET: '' },
    { SEND_KEY_SECRET: SEND_KEY_SECRET.slice(0, 8) },
  ];
}

function becameOf(end: {
  readonly dead: boolean;
  readonly waits: boolean;
  readonly state: string | null;
  readonly effects: number;
}): Expected | 'lost' | 'two-effects' {
  if (end.dead) return 'invalid';
  if (end.effects > 1) return 'two-effects';
  if (end.state === 'SENT' && end.effects === 1) return 'sent';
  if (end.state === 'EXPIRED' && end.effects === 0) return 'expired';
  return end.waits && end.state === null ? 'waits' : 'lost';
}

/** A text is JSON that the producer encoded itself. */
function decoded(payload: unknown): unknown {
  return typeof payload === 'string' ? JSON.parse(payload) : payload;
}
