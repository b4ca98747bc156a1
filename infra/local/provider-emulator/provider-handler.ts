import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallLog } from '../call-log.ts';
import type { EmulatorClock } from '../emulator-clock.ts';
import {
  type Answer,
  cutAnswer,
  jsonAnswer,
  parseJson,
  readBody,
  sendAnswer,
  wallDelay,
} from '../emulator-server.ts';
import type { FaultPlan } from '../fault-plan.ts';
import { deliverReply } from './deliver-reply.ts';
import type { ProviderBehaviour } from './provider-behaviour.ts';
import type { ProviderModel } from './provider-model.ts';
import { replyTo, replyWithoutSend } from './provider-reply.ts';
import {
  matchPath,
  type ProviderRequest,
  type ProviderSurface,
  type SurfaceOperation,
} from './provider-surface.ts';

const BODY_LIMIT_BYTES = 512 * 1024;

/** The route of a surface's questions in the fault plan. */
export function queryRoute(surfaceName: string): string {
  return `${surfaceName}.query`;
}

export type ProviderCall = {
  /** The surface's name for a send, `<name>.query` for a question. */
  readonly route: string;
  readonly path: string;
  /** The key that effects are counted by; '' when there was none. */
  readonly key: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly behaviour: ProviderBehaviour['kind'] | null;
};

export type MountedSurface = { readonly surface: ProviderSurface; readonly model: ProviderModel };

type Match = MountedSurface & {
  readonly operation: SurfaceOperation;
  readonly request: ProviderRequest;
};

export type ProviderHandlerParts = {
  readonly mounted: () => Iterable<MountedSurface>;
  readonly clock: EmulatorClock;
  readonly faults: FaultPlan<string, ProviderBehaviour>;
};

/** Finds the surface of a call, lets the model decide, and renders in the vendor's form. */
export class ProviderHandler {
  readonly calls = new CallLog<ProviderCall>();
  readonly #parts: ProviderHandlerParts;

  constructor(parts: ProviderHandlerParts) {
    this.#parts = parts;
  }

  async handle(
    incoming: IncomingMessage,
    response: ServerResponse,
    url: URL,
    closing: AbortSignal,
  ): Promise<void> {
    const body = await readBody(incoming, BODY_LIMIT_BYTES);
    if (body.kind === 'aborted') return;
    if (body.kind === 'too-large') return sendAnswer(response, notFound('body_too_large', 413));
    const match = this.#match(incoming, url, body.text);
    if (match === undefined) return sendAnswer(response, notFound('no_such_route', 404));
    const { surface, operation, request } = match;
    const open = operation.kind === 'ask' && operation.open === true;
    if (!open && !surface.authorised(request)) {
      return sendAnswer(response, surface.answers.refused(401, 'unauthorized'));
    }
    if (operation.kind === 'send') return this.#send(match, operation, response, closing);
    return this.#ask(match, operation, response);
  }

  async #send(
    match: Match,
    operation: Extract<SurfaceOperation, { kind: 'send' }>,
    response: ServerResponse,
    closing: AbortSignal,
  ): Promise<void> {
    const { faults, clock } = this.#parts;
    const { surface, model, request } = match;
    const call = operation.read(request);
    if (call.kind === 'invalid') {
      return sendAnswer(response, surface.answers.refused(call.status, call.code));
    }
    const behaviour = faults.next(surface.name);
    this.#log(surface.name, call.key, request, behaviour);
    await wallDelay(faults.latencyMs);
    const now = clock.now();
    const timed = replyTo(
      model,
      {
        key: call.key,
        idempotencyKey: call.idempotencyKey,
        bodyHash: hash('sha256', request.text, 'hex'),
      },
      behaviour,
      now,
    );
    if (timed.notBefore > now) {
      await clock.sleep(timed.notBefore - now, goneSignal(response, closing));
    }
    await wallDelay(timed.latencyMs);
    deliverReply(timed.reply, surface.answers, request, response, clock.now());
  }

  async #ask(
    match: Match,
    operation: Extract<SurfaceOperation, { kind: 'ask' }>,
    response: ServerResponse,
  ): Promise<void> {
    const { faults, clock } = this.#parts;
    const { surface, model, request } = match;
    const route = operation.route ?? queryRoute(surface.name);
    const behaviour = faults.next(route);
    this.#log(route, '', request, behaviour);
    await wallDelay(faults.latencyMs);
    const now = clock.now();
    const reply = behaviour && replyWithoutSend(behaviour);
    if (reply !== undefined) {
      return deliverReply(reply, surface.answers, request, response, now);
    }
    const answer = operation.answer(request, model, now);
    if (behaviour?.kind === 'cut') return cutAnswer(response, answer);
    if (behaviour?.kind === 'slow-answer') await wallDelay(behaviour.latencyMs);
    sendAnswer(response, answer);
  }

  #log(
    route: string,
    key: string,
    request: ProviderRequest,
    behaviour: ProviderBehaviour | undefined,
  ): void {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    this.calls.add({
      route,
      path: request.path,
      key,
      text: request.text,
      headers,
      behaviour: behaviour?.kind ?? null,
    });
  }

  #match(incoming: IncomingMessage, url: URL, text: string): Match | undefined {
    const base = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      text,
      body: parseBody(incoming, text),
    };
    for (const { surface, model } of this.#parts.mounted()) {
      for (const operation of surface.operations) {
        if (operation.method !== base.method) continue;
        const params = matchPath(operation.path, base.path);
        if (params === undefined) continue;
        const request = { ...base, params };
        if (operation.matches?.(request) === false) continue;
        return { surface, model, operation, request };
      }
    }
    return undefined;
  }
}

/** Aborts when the caller is gone or the emulator closes, so that no wait outlives both. */
function goneSignal(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, closing]);
}

function parseBody(incoming: IncomingMessage, text: string): unknown {
  const type = incoming.headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return text === '' ? undefined : parseJson(text);
}

function notFound(code: string, status: number): Answer {
  return jsonAnswer(status, { error: { code } });
}
