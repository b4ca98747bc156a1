import { setTimeout as pause } from 'node:timers/promises';
import { changeBreaker, readBreaker } from '#app/breaker-control.ts';
import { resume } from '#core/breaker.ts';
import { seededRandom } from '#infra/local/seeded-random.ts';
import { Findings, type Part, type PartOptions } from '#test/proof/part.ts';
import { type Artefacts, buildArtefacts } from '#test/proof/real/artefacts.ts';
import {
  armLane,
  KILL_POINTS,
  type KillPlan,
  MOMENTS,
  nameOf,
} from '#test/proof/real/kill-points.ts';
import { LambdaProcess } from '#test/proof/real/lambda-process.ts';
import { RealLoad } from '#test/proof/real/real-load.ts';
import {
  type Lane,
  openRealStage,
  REAL_QUEUE,
  type RealStage,
} from '#test/proof/real/real-stage.ts';
import { judgeRealRun } from '#test/proof/real/real-verdict.ts';

const KILLS = { full: 112, short: 16 } as const;
/** Workers side by side, as the reserved concurrency of the deployed function allows. */
const LANES = 2;
/** A kill point that a life does not meet by then is made up for by a kill at that time. */
const LONGEST_LIFE_MS = 2_500;
const PER_LIFE = 8;
/** A pull would find nothing for so long once everything rests. */
const QUIET_WITHIN_MS = 60_000;

export const realEnds: Part = {
  name: 'real-ends',
  shows:
    'the deployed artefact, killed by SIGKILL at chosen and at random points under load, its engine killed and its emulators restarted, leaves one effect per key and loses nothing',
  run: async (options) => {
    const findings = new Findings('real-ends', options);
    const [artefacts, stage] = await Promise.all([buildArtefacts(), openRealStage(options.seed)]);
    try {
      await new RealRun(artefacts, stage, findings, options).run();
    } finally {
      await stage.close();
      artefacts.remove();
    }
    return findings.report();
  },
};

/** What a provider does now and then, so that every kill point is met. */
function unsettle(stage: RealStage): void {
  for (const route of ['push', 'email', 'sms']) {
    stage.provider.faults
      .rule(route, 0.12, { kind: 'defer', retryAfter: { seconds: 1 } })
      .rule(route, 0.04, { kind: 'reset', accepted: true })
      .rule(route, 0.03, { kind: 'reset', accepted: false })
      .rule(route, 0.03, { kind: 'server-error', accepted: true })
      .rule(route, 0.02, { kind: 'reject' });
  }
}

class RealRun {
  readonly #artefacts: Artefacts;
  readonly #stage: RealStage;
  readonly #findings: Findings;
  readonly #options: PartOptions;
  readonly #random;
  readonly #load: RealLoad;
  readonly #plans: KillPlan[];
  #kills = 0;
  #killing = true;

  constructor(artefacts: Artefacts, stage: RealStage, findings: Findings, options: PartOptions) {
    this.#artefacts = artefacts;
    this.#stage = stage;
    this.#findings = findings;
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#load = new RealLoad(stage, this.#random);
    this.#plans = plansFor(KILLS[options.scale], this.#random.fraction);
  }

  async run(): Promise<void> {
    unsettle(this.#stage);
    const lanes = await Promise.all(Array.from({ length: LANES }, () => this.#stage.openLane()));
    const restarting = this.#restartNowAndThen();
    await Promise.all(lanes.map((lane) => this.#liveInLane(lane)));
    this.#killing = false;
    await restarting;
    this.#options.log(`${this.#kills} kills, ${this.#load.published.length} reminders`);
    this.#stage.provider.faults.clear();
    await this.#settle(lanes);
    await judgeRealRun(this.#stage, this.#load, this.#findings);
  }

  /** One life after the other; the next process loads while the present one works. */
  async #liveInLane(lane: Lane): Promise<void> {
    let next = this.#start(lane);
    for (let plan = this.#plans.shift(); plan !== undefined; plan = this.#plans.shift()) {
      const present = next;
      await present.ready;
      next = this.#start(lane);
      await this.#live(lane, present, plan);
    }
    await next.close();
  }

  async #live(lane: Lane, worker: LambdaProcess, plan: KillPlan): Promise<void> {
    this.#load.publish(PER_LIFE);
    let killedBy: string | undefined;
    const kill = (by: string) => {
      killedBy ??= by;
      worker.kill();
    };
    armLane(lane, plan, {
      fraction: () => this.#random.fraction(),
      kill: () => kill(nameOf(plan)),
      onTrouble: (trouble) => this.#findings.count(`sockets: ${trouble}`),
    });
    const afterMs = plan.kind === 'random' ? plan.afterMs : LONGEST_LIFE_MS;
    const timer = setTimeout(() => kill('at a random time'), afterMs);
    while (worker.alive) {
      const invoked = await worker.invoke();
      if (invoked.kind === 'ended') break;
      this.#findings.count('invocations that ended by themselves');
      await this.#afterInvocation(invoked);
      this.#load.publish(PER_LIFE);
    }
    clearTimeout(timer);
    await worker.close();
    this.#kills += 1;
    this.#findings.count('kills');
    this.#findings.count(`killed ${killedBy}`);
  }

  /** The operator who reads the alarm: a trip for failing records is resumed, any other is a finding. */
  async #afterInvocation(invoked: { readonly kind: string }): Promise<void> {
    if (invoked.kind === 'failed') this.#findings.count('invocations that failed');
    const seen = await readBreaker(this.#stage.controls);
    if (seen.kind === 'failed' || seen.breaker.mode.kind !== 'paused') return;
    const { reason } = seen.breaker;
    this.#findings.count(`breaker tripped by ${reason}`);
    if (reason !== 'RECORDS_FAILING') {
      const where = `seed ${this.#options.seed}`;
      this.#findings.violation({ where, what: `the breaker tripped by ${reason}`, story: [] });
    }
    const change = { by: 'operator', reason: 'RESUMED', at: Date.now() };
    await changeBreaker(this.#stage.controls, (breaker) => resume(breaker, change));
  }

  /** Engine and emulators, one after the other, while workers live and die. */
  async #restartNowAndThen(): Promise<void> {
    const { engine, queue, provider } = this.#stage;
    const restarts = [
      ['engine killed and restarted', () => engine.restart()],
      ['queue emulator restarted', () => queue.restart('kept')],
      ['provider emulator restarted', () => provider.restart('kept')],
    ] as const;
    const every = Math.max(2, Math.floor(KILLS[this.#options.scale] / 12));
    for (let due = every, turn = 0; this.#killing; turn += 1, due += every) {
      while (this.#killing && this.#kills < due) await pause(50);
      if (!this.#killing) return;
      const [name, restart] = restarts[turn % restarts.length] ?? restarts[0];
      await restart();
      this.#findings.count(name);
    }
  }

  /** Calm lanes drain what is left; dead letters go through the real redrive; then all rests. */
  async #settle(lanes: readonly Lane[]): Promise<void> {
    for (const lane of lanes) armLane(lane, null, { ...CALM });
    const [lane] = lanes;
    if (lane === undefined) return;
    const consumer = this.#start(lane);
    await this.#drain(consumer);
    const dead = this.#messages('.dlq').length;
    this.#findings.count('dead letters before the redrive', dead);
    const redrive = new LambdaProcess({ artefact: this.#artefacts.redrive, env: lane.env });
    const invoked = await redrive.invoke();
    if (invoked.kind !== 'done') {
      this.#findings.violation({ where: 'the redrive', what: invoked.kind, story: [] });
    }
    await redrive.close();
    await this.#drain(consumer);
    await consumer.close();
  }

  async #drain(consumer: LambdaProcess): Promise<void> {
    const endsAt = Date.now() + QUIET_WITHIN_MS;
    while (this.#messages('').length > 0 && Date.now() < endsAt) {
      await this.#afterInvocation(await consumer.invoke());
      await pause(100);
    }
  }

  #messages(suffix: '' | '.dlq') {
    const { model, clock } = this.#stage.queue;
    return model.messages(`${REAL_QUEUE}${suffix}`, clock.now());
  }

  #start(lane: Lane): LambdaProcess {
    return new LambdaProcess({ artefact: this.#artefacts.consumer, env: lane.env });
  }
}

const CALM = { fraction: () => 1, kill: () => {}, onTrouble: () => {} };

/** Every point at both moments in turn, at its first to fifth call, and as many random times. */
function plansFor(count: number, fraction: () => number): KillPlan[] {
  const points = KILL_POINTS.flatMap((point) => MOMENTS.map((moment) => ({ point, moment })));
  return Array.from({ length: count }, (_, index): KillPlan => {
    const place = points[index % points.length];
    if (place === undefined || Math.floor(index / points.length) % 3 === 2) {
      return { kind: 'random', afterMs: 20 + fraction() * 1_000 };
    }
    return { kind: 'at', ...place, nth: 1 + Math.floor(fraction() * 5) };
  });
}
