import type { Reminder } from '#core/reminder.ts';
import type { QueryResult, SenderProfile, SendResult } from '#core/send-result.ts';
import type { EffectLedger } from '#infra/local/provider-emulator/effect-ledger.ts';
import type { ProviderBehaviour } from '#infra/local/provider-emulator/provider-behaviour.ts';
import { ProviderModel } from '#infra/local/provider-emulator/provider-model.ts';
import { type ProviderReply, replyTo } from '#infra/local/provider-emulator/provider-reply.ts';
import type { Clock, Random, Sender, SendRequest } from '#ports';

/** What the provider does with its `call`-th call (0 first); undefined: accept by its class. */
export type BehaviourOf = (request: SendRequest, call: number) => ProviderBehaviour | undefined;

export type MemoryProviderOptions = {
  readonly profile: SenderProfile;
  readonly clock: Clock;
  readonly random?: Random;
  readonly behaviourOf?: BehaviourOf;
  /** A question that gets no usable answer. */
  readonly cannotTell?: (request: SendRequest, ask: number) => boolean;
  /** How long the provider takes to answer, milliseconds of the clock; 0 when absent. */
  readonly latencyMs?: (request: SendRequest) => number;
  readonly effects?: EffectLedger;
  /** false: `calls` stays empty, for simulations of millions */
  readonly keepCalls?: boolean;
  /** `queryable`: how long after its acceptance a message can be found. */
  readonly queryLagMs?: number;
};

/** The emulator's provider behind port Sender, without the sockets in between. */
export class MemoryProvider {
  readonly model: ProviderModel;
  readonly sender: Sender;
  /** Sends that reached the provider, in order. */
  readonly calls: SendRequest[] = [];
  #sends = 0;
  asks = 0;
  underWay = 0;
  mostUnderWay = 0;
  readonly #options: MemoryProviderOptions;

  constructor(options: MemoryProviderOptions) {
    this.#options = options;
    const { profile } = options;
    this.model = new ProviderModel({
      providerClass: profile.providerClass,
      ...(profile.windowSeconds !== null && { windowMs: profile.windowSeconds * 1000 }),
      ...(options.random && { random: options.random }),
      ...(options.effects && { effects: options.effects }),
      ...(options.queryLagMs !== undefined && { queryLagMs: options.queryLagMs }),
    });
    this.sender = {
      profile,
      content: contentOf,
      send: (request) => this.#send(request),
      ...(profile.providerClass === 'queryable' && {
        query: (request: SendRequest) => this.#query(request),
      }),
    };
  }

  /** What users saw under this key. */
  effectsOf(sendKey: string): number {
    this.model.settle(this.#options.clock.now());
    return this.model.effects.of(sendKey);
  }

  async #send(request: SendRequest): Promise<SendResult> {
    const { clock, behaviourOf, latencyMs, profile } = this.#options;
    const call = this.#sends;
    this.#sends += 1;
    if (this.#options.keepCalls !== false) this.calls.push(request);
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    try {
      const behaviour = behaviourOf?.(request, call);
      const submission = {
        key: request.sendKey,
        idempotencyKey: request.sendKey,
        bodyHash: contentOf(request.reminder),
      };
      const startedAt = clock.now();
      const timed = replyTo(this.model, submission, behaviour, startedAt);
      const waitMs = timed.notBefore - startedAt + timed.latencyMs + (latencyMs?.(request) ?? 0);
      const late = waitMs > profile.sendTimeoutMs || timed.reply.kind === 'hang';
      const passesMs = late ? profile.sendTimeoutMs : waitMs;
      if (passesMs > 0) await clock.sleep(passesMs);
      return late ? TIMED_OUT : resultOf(timed.reply);
    } finally {
      this.underWay -= 1;
    }
  }

  async #query(request: SendRequest): Promise<QueryResult> {
    this.asks += 1;
    if (this.#options.cannotTell?.(request, this.asks - 1)) {
      return { kind: 'cannot-tell', cause: 'HTTP_500' };
    }
    const found = this.model.find(request.sendKey, this.#options.clock.now());
    return found.kind === 'found' ? { kind: 'found', receipt: found.record.receipt } : found;
  }
}

const TIMED_OUT: SendResult = { kind: 'unknown', cause: 'TIMEOUT', overload: true };

/** Pure, and without attempt and hop, as every sender's content. */
function contentOf({ userId, reminderId, data }: Reminder): string {
  return JSON.stringify([userId, reminderId, data ?? null]);
}

/** As `judgeSend` reads the same answers over HTTP. */
function resultOf(reply: ProviderReply): SendResult {
  switch (reply.kind) {
    case 'accepted':
      return { kind: 'accepted', receipt: reply.receipt };
    case 'deferred': {
      const { retryAfter, status } = reply;
      const seconds = retryAfter && 'seconds' in retryAfter ? retryAfter.seconds : undefined;
      return {
        kind: 'deferred',
        code: `HTTP_${status}`,
        ...(seconds !== undefined && { retryAfterSeconds: seconds }),
        ...(status === 429 && { overload: true }),
      };
    }
    case 'rejected':
      return { kind: 'rejected', code: `HTTP_${reply.status}` };
    case 'auth-failed':
      return { kind: 'channel-stopped', code: `HTTP_${reply.status}` };
    case 'no-receipt':
      return { kind: 'unknown', cause: 'NO_RECEIPT' };
    case 'conflict':
    case 'in-progress':
      return { kind: 'unknown', cause: 'HTTP_409' };
    case 'server-error':
      return { kind: 'unknown', cause: `HTTP_${reply.status}` };
    case 'cut':
    case 'reset':
      return { kind: 'unknown', cause: 'CONNECTION_LOST' };
    case 'hang':
      return TIMED_OUT;
  }
}
