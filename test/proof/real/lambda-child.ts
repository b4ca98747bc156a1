/**
 * A process that does for a bundled function what Lambda's runtime does: loads the module once,
 * then calls its `handler` for one event after the other.
 */
import type { LambdaHandler } from '#wiring/lambda-stack.ts';

export type LambdaEvent = {
  readonly id: number;
  readonly event: unknown;
  /** What the platform grants the invocation. */
  readonly timeoutMs: number;
};
export type LambdaAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string };

const [artefact = ''] = process.argv.slice(2);
const { handler } = (await import(artefact)) as { readonly handler: LambdaHandler<unknown> };

process.on('message', ({ id, event, timeoutMs }: LambdaEvent) => {
  const endsAt = Date.now() + timeoutMs;
  const invocation = {
    awsRequestId: `invocation-${id}`,
    getRemainingTimeInMillis: () => endsAt - Date.now(),
  };
  handler(event, invocation).then(
    (result) => answer({ kind: 'done', id, result }),
    ({ code, name }: { readonly code?: string; readonly name: string }) =>
      answer({ kind: 'failed', id, code: code ?? name }),
  );
});
process.on('disconnect', () => process.exit());
answer({ kind: 'ready' });

function answer(message: LambdaAnswer): void {
  process.send?.(message);
}
