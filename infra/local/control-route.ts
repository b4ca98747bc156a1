import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { EmulatorClock } from './emulator-clock.ts';
import { jsonAnswer, parseJson, readBody, sendAnswer } from './emulator-server.ts';
import type { FaultPlan } from './fault-plan.ts';

/** Control calls lie outside the played contract: no key, no envelope, no faults. */
export type ControlRoutes = Readonly<Record<string, (body: unknown) => unknown>>;

/**
 * Answers `{…}` of the route, or 400 `{error}` when its body is not valid.
 * @param routes by `METHOD /path`
 */
export async function answerControl(
  routes: ControlRoutes,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const body = await readBody(request, 1024 * 1024);
  const route = routes[`${request.method} ${path}`];
  if (route === undefined) {
    const error = `no control route ${request.method} ${path}; there are: ${Object.keys(routes).join(', ')}`;
    return sendAnswer(response, jsonAnswer(404, { error }));
  }
  const json = body.kind === 'text' && body.text !== '' ? parseJson(body.text) : {};
  try {
    sendAnswer(response, jsonAnswer(200, route(json) ?? {}));
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    sendAnswer(response, jsonAnswer(400, { error: z.prettifyError(error) }));
  }
}

const clockBody = z
  .strictObject({
    advance_ms: z.number().optional(),
    now: z.number().optional(),
    frozen: z.boolean().optional(),
  })
  .check(
    z.refine((body) => Object.keys(body).length > 0, 'give advance_ms, now (epoch ms) or frozen'),
  );

/** `{frozen}`, `{now}` and `{advance_ms}` in this order; answers where the clock then stands. */
export function controlClock(clock: EmulatorClock, body: unknown): unknown {
  const wanted = clockBody.parse(body);
  if (wanted.frozen === true) clock.freeze();
  if (wanted.frozen === false) clock.run();
  if (wanted.now !== undefined) clock.setNow(wanted.now);
  if (wanted.advance_ms !== undefined) clock.advance(wanted.advance_ms);
  return { now: clock.now(), frozen: clock.frozen };
}

/** Schema of the body of a `POST /_emulator/faults`, for the routes and faults of one emulator. */
export function faultsBody<Route extends z.ZodType<string>, Fault extends z.ZodType>(
  route: Route,
  fault: Fault,
) {
  return z.strictObject({
    /** Forget what was planned before. */
    clear: z.boolean().default(false),
    /** Added to every answer, wall time. */
    latencyMs: z.number().nonnegative().optional(),
    /** The next `times` calls of a route. */
    script: z
      .array(
        z.strictObject({
          route,
          fault: z.union([z.literal('pass'), fault]),
          times: z.number().int().positive().default(1),
        }),
      )
      .default([]),
    /** Every call of a route (`*`: of any) with a probability. */
    rules: z
      .array(
        z.strictObject({
          route: z.union([z.literal('*'), route]),
          fault,
          probability: z.number().min(0).max(1),
        }),
      )
      .default([]),
  });
}

export type FaultsWanted<Route extends string, Fault> = {
  readonly clear: boolean;
  readonly latencyMs?: number | undefined;
  readonly script: readonly {
    readonly route: Route;
    readonly fault: Fault | 'pass';
    readonly times: number;
  }[];
  readonly rules: readonly {
    readonly route: Route | '*';
    readonly fault: Fault;
    readonly probability: number;
  }[];
};

export function controlFaults<Route extends string, Fault>(
  plan: FaultPlan<Route, Fault>,
  wanted: FaultsWanted<Route, Fault>,
): unknown {
  if (wanted.clear) plan.clear();
  if (wanted.latencyMs !== undefined) plan.latencyMs = wanted.latencyMs;
  for (const { route, fault, times } of wanted.script) plan.script(route, fault, times);
  for (const { route, fault, probability } of wanted.rules) plan.rule(route, probability, fault);
  return plan.describe();
}
