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

type Loaded = { readonly handler: LambdaHandler<unknown> };

const [artefact = ''] = process.argv.slice(2);
const { handler } = (await import(artefact).catch(crash)) as Loaded;

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

/** As the runtime reports a module that throws while it loads: the raw error, as far as it shows. */
function crash(error: Error & { readonly code?: string }): never {
  const { name, message, stack } = error;
  const report = {
    errorType: name,
    errorMessage: message,
    stackTrace: stack?.split('\n'),
    ...error,
  };
  process.stderr.write(`${JSON.stringify(report)}\n`);
  process.exit(1);
}

function answer(message: LambdaAnswer): void {
  process.send?.(message);
}
