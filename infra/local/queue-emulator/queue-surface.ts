import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '#ports';
import { CallLog } from '../call-log.ts';
import type { EmulatorClock } from '../emulator-clock.ts';
import {
  type Answer,
  cutAnswer,
  dropConnection,
  jsonAnswer,
  parseJson,
  readBody,
  sendAnswer,
  wallDelay,
} from '../emulator-server.ts';
import type { FaultPlan } from '../fault-plan.ts';
import { IdempotencyStore } from '../idempotency-store.ts';
import { retryAfterHeaders } from '../retry-after-form.ts';
import { randomId } from '../seeded-random.ts';
import { type AnswerStyle, DEFAULT_STYLE } from './answer-style.ts';
import { CAPABILITIES, type Capability, describeCapability } from './capabilities.ts';
import { type Metadata, notOkAnswer, okAnswer, refusalAnswer, STATUS_OF } from './envelope.ts';
import { refused } from './queue-contract.ts';
import type { QueueFault, QueueRoute } from './queue-faults.ts';
import type { QueueModel } from './queue-model.ts';
import { OPERATIONS, type OperationResult } from './queue-operations.ts';

/** Twice the message limit: enough to tell a too large payload from a runaway body. */
const BODY_LIMIT_BYTES = 512 * 1024;

export type QueueCall = {
  readonly route: QueueRoute;
  /** The parsed body; undefined when there was none. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly fault: QueueFault['kind'] | null;
};

export type QueueSurfaceParts = {
  readonly model: QueueModel;
  readonly clock: EmulatorClock;
  readonly faults: FaultPlan<QueueRoute, QueueFault>;
  readonly random: Random;
  /** Accepted bearer keys; any non-empty one when undefined. */
  readonly apiKeys: readonly string[] | undefined;
};

type Target = {
  readonly capability: Capability;
  readonly queue: string;
};

/** The Infrai contract over HTTP: authorisation, faults, idempotency, envelope. */
export class QueueSurface {
  style: AnswerStyle = { ...DEFAULT_STYLE };
  readonly calls = new CallLog<QueueCall>();
  readonly #parts: QueueSurfaceParts;
  /** Keys of every route but publish, whose keys the model remembers. */
  readonly #results = new IdempotencyStore<OperationResult>(24 * 3_600_000);

  constructor(parts: QueueSurfaceParts) {
    this.#parts = parts;
  }

  reset(): void {
    this.style = { ...DEFAULT_STYLE };
    this.calls.clear();
    this.#results.clear();
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const metadata: Metadata = { requestId: `req_${randomId(this.#parts.random, 16)}` };
    if (path === '/v1/discovery' || path.startsWith('/v1/discovery/')) {
      return this.#discovery(response, path, metadata);
    }
    const target = matchCapability(request.method ?? '', path);
    if (typeof target === 'string') {
      request.resume();
      return sendAnswer(response, refusalAnswer(target, `${request.method} ${path}`, metadata));
    }
    if (!this.#authorised(request)) {
      request.resume();
      return sendAnswer(response, refusalAnswer('UNAUTHORIZED', 'no valid key', metadata));
    }
    const body = await readBody(request, BODY_LIMIT_BYTES);
    if (body.kind === 'aborted') return;
    if (body.kind === 'too-large') {
      const message = `the body has more than ${BODY_LIMIT_BYTES} bytes`;
      return sendAnswer(response, refusalAnswer('QUEUE_MESSAGE_TOO_LARGE', message, metadata));
    }
    const json = body.text === '' ? undefined : parseJson(body.text);
    if (body.text !== '' && json === undefined) {
      return sendAnswer(response, refusalAnswer('INVALID_JSON', 'the body is not JSON', metadata));
    }
    await this.#answer(target, request, response, json, metadata);
  }

  async #answer(
    target: Target,
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    metadata: Metadata,
  ): Promise<void> {
    const { faults, clock } = this.#parts;
    const route = target.capability.id;
    const fault = faults.next(route);
    const idempotencyKey = keyOf(request, body);
    this.calls.add({ route, body, idempotencyKey, fault: fault?.kind ?? null });
    await wallDelay(faults.latencyMs);
    const instead = fault && answerInstead(fault, clock.now(), metadata);
    if (instead !== undefined) return sendAnswer(response, instead);
    if (fault?.kind === 'dropped' && !fault.applied) return dropConnection(response);
    if (fault?.kind === 'hang' && !fault.applied) return;
    const result = this.#apply(target, body, idempotencyKey, fault);
    const answer = this.#render(result, metadata);
    if (fault?.kind === 'slow') await wallDelay(fault.latencyMs);
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'dropped') return dropConnection(response);
    if (fault?.kind === 'cut') return cutAnswer(response, answer);
    if (fault?.kind === 'server-error') return sendAnswer(response, badGateway(fault));
    sendAnswer(response, answer);
  }

  #apply(
    target: Target,
    body: unknown,
    idempotencyKey: string | undefined,
    fault: QueueFault | undefined,
  ): OperationResult {
    const { model, clock } = this.#parts;
    const { id, method } = target.capability;
    const now = clock.now();
    const operate = (): OperationResult =>
      OPERATIONS[id]({
        model,
        style: this.style,
        now,
        queue: target.queue,
        body,
        idempotencyKey,
        redeliverAcked: fault?.kind === 'redeliver-acked',
        leaseMs: fault?.kind === 'short-lease' ? fault.leaseMs : undefined,
      });
    if (idempotencyKey === undefined || method !== 'POST' || id === 'queue.publish') {
      return operate();
    }
    const key = `${id} ${idempotencyKey}`;
    const fingerprint = hash('sha1', JSON.stringify([target.queue, body]), 'base64');
    const recall = this.#results.recall(key, fingerprint, now);
    if (recall.kind === 'other-body' && model.behaviour.keyConflict === 'refused') {
      return refused('IDEMPOTENCY_KEY_CONFLICT', 'this key came before with another body');
    }
    if (recall.kind !== 'new') return replay(recall.result);
    const result = operate();
    if (result.kind === 'done') this.#results.remember(key, fingerprint, result, now);
    return result;
  }

  #render(result: OperationResult, metadata: Metadata): Answer {
    if (result.kind === 'done') {
      const costUsd = result.costUsd ?? 0;
      return okAnswer(result.data, { ...metadata, costUsd, cacheHit: result.cacheHit ?? false });
    }
    const status =
      result.code === 'QUEUE_MESSAGE_NOT_IN_FLIGHT'
        ? this.style.lateAckStatus
        : STATUS_OF[result.code];
    return refusalAnswer(result.code, result.message, metadata, status);
  }

  async #discovery(response: ServerResponse, path: string, metadata: Metadata): Promise<void> {
    const { faults, clock } = this.#parts;
    const id = decodeURIComponent(path.slice('/v1/discovery/'.length));
    const route = id === '' ? 'discovery.list' : 'discovery.get';
    const fault = faults.next(route);
    this.calls.add({
      route,
      body: undefined,
      idempotencyKey: undefined,
      fault: fault?.kind ?? null,
    });
    await wallDelay(faults.latencyMs);
    const instead = fault && answerInstead(fault, clock.now(), metadata);
    if (instead !== undefined) return sendAnswer(response, instead);
    if (fault?.kind === 'dropped') return dropConnection(response);
    if (fault?.kind === 'hang') return;
    if (id === '') {
      const list = { capabilities: CAPABILITIES.map(describeCapability) };
      return sendAnswer(response, jsonAnswer(200, list));
    }
    const capability = CAPABILITIES.find((candidate) => candidate.id === id);
    if (capability === undefined) {
      return sendAnswer(response, refusalAnswer('NOT_FOUND', `no capability ${id}`, metadata));
    }
    sendAnswer(response, jsonAnswer(200, describeCapability(capability)));
  }

  #authorised(request: IncomingMessage): boolean {
    const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (key === undefined) return false;
    return this.#parts.apiKeys === undefined || this.#parts.apiKeys.includes(key);
  }
}

function replay(result: OperationResult): OperationResult {
  return result.kind === 'done' ? { ...result, costUsd: 0, cacheHit: true } : result;
}

function keyOf(request: IncomingMessage, body: unknown): string | undefined {
  const header = request.headers['idempotency-key'];
  if (typeof header === 'string' && header !== '') return header;
  if (typeof body !== 'object' || body === null) return undefined;
  const field = (body as { idempotency_key?: unknown }).idempotency_key;
  return typeof field === 'string' && field !== '' ? field : undefined;
}

/** The answer of a fault under which nothing is done; undefined for the others. */
function answerInstead(fault: QueueFault, now: number, metadata: Metadata): Answer | undefined {
  switch (fault.kind) {
    case 'rate-limited':
      return refusalAnswer(
        'RATE_LIMITED',
        'too many calls',
        metadata,
        429,
        retryAfterHeaders(fault.retryAfter, now),
      );
    case 'insufficient-credit':
      return refusalAnswer('INSUFFICIENT_CREDIT', 'the balance does not cover this call', metadata);
    case 'server-error':
      return fault.applied === true ? undefined : badGateway(fault);
    case 'not-ok': {
      const message = 'a fault that was asked for';
      const retryable = fault.retryable === undefined ? {} : { retryable: fault.retryable };
      const code = fault.code ?? 'INTERNAL';
      const error = fault.plainString === true ? code : { code, message, ...retryable };
      return notOkAnswer(fault.status ?? 200, error, metadata);
    }
    default:
      return undefined;
  }
}

function badGateway(fault: Extract<QueueFault, { kind: 'server-error' }>): Answer {
  const status = fault.status ?? 503;
  const body = `<html><body><h1>${status}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

function matchCapability(
  method: string,
  path: string,
): Target | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' {
  let pathKnown = false;
  for (const capability of CAPABILITIES) {
    const queue = matchPath(capability.path, path);
    if (queue === undefined) continue;
    if (capability.method === method) return { capability, queue };
    pathKnown = true;
  }
  return pathKnown ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND';
}

/** The queue's name in the path, '' when the pattern has none, undefined when it does not match. */
function matchPath(pattern: string, path: string): string | undefined {
  const prefix = pattern.replace('{queue}', '');
  if (prefix === pattern) return path === pattern ? '' : undefined;
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : '';
  if (rest === '' || rest.includes('/')) return undefined;
  try {
    return decodeURIComponent(rest);
  } catch {
    return undefined;
  }
}
