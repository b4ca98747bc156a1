import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { PowertoolsTelemetry } from '#adapters/aws/telemetry.ts';
import { errorName, RemindOnceError } from '#core/errors.ts';

/** What a handler needs of Lambda's context. */
export type Invocation = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

export type LambdaHandler<Result> = (event: unknown, context: Invocation) => Promise<Result>;

/**
 * The one middleware stack of all functions: the invocation's id on every line, metrics flushed
 * whatever happens, and an error envelope that holds a code but never a raw error object, whose
 * fields and causes could carry a header or a payload into the log.
 */
export function lambdaHandler<Result>(
  telemetry: PowertoolsTelemetry,
  run: (event: unknown, invocation: Invocation) => Promise<Result>,
): LambdaHandler<Result> {
  const stack = middy<unknown, Result, Error, Context>()
    .use({
      before: ({ context }) => telemetry.startInvocation(context.awsRequestId),
      after: () => telemetry.flush(),
      onError: (request) => {
        const envelope = errorEnvelope(request.error);
        telemetry.log('error', 'invocation_failed', {
          code: envelope.code,
          problem: envelope.message,
        });
        telemetry.flush();
        request.error = envelope;
      },
    })
    .handler((event, context) => run(event, context));
  return (event, context) => stack(event, context as Context) as Promise<Result>;
}

/** Our own errors are written to be read; of any other only its name is safe to show. */
function errorEnvelope(error: unknown): RemindOnceError {
  if (error instanceof Error && 'code' in error && isOurs(error)) {
    return withoutStack(new RemindOnceError(error.code, error.message));
  }
  const name = errorName(error);
  return withoutStack(
    new RemindOnceError(
      'UNEXPECTED',
      `the invocation failed with ${name}; nothing was acked unseen`,
    ),
  );
}

/** By shape, not by class: a bundle can hold the class twice. */
function isOurs(error: Error & { code: unknown }): error is Error & { code: string } {
  return /^(RemindOnceError|ConfigError)$/.test(error.name) && typeof error.code === 'string';
}

function withoutStack<E extends Error>(error: E): E {
  delete error.stack;
  return error;
}
