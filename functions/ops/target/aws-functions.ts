import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import type { RedriveReport } from '#app/redrive/redrive-report.ts';
import type { Environment } from '#config/environment.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import { askAws } from './aws-fault.ts';

/** A function as it is deployed: the very settings that it runs with. */
export type DeployedFunction = {
  readonly name: string;
  readonly environment: Environment;
  readonly timeoutSeconds: number | null;
  readonly memoryMb: number | null;
};

export async function readFunction(name: string): Promise<DeployedFunction> {
  const client = new LambdaClient({});
  const question = { action: 'lambda:GetFunctionConfiguration', subject: `function ${name}` };
  const answer = await askAws(question, () =>
    client.send(new GetFunctionConfigurationCommand({ FunctionName: name })),
  );
  return {
    name,
    environment: answer.Environment?.Variables ?? {},
    timeoutSeconds: answer.Timeout ?? null,
    memoryMb: answer.MemorySize ?? null,
  };
}

/** Lambda cuts an invocation off at 900 s; the answer comes a moment later. */
const LONGEST_INVOCATION_MS = 910_000;

/**
 * Invokes the redrive function and waits for its report. One attempt: a repeated invocation would
 * be a second redrive.
 */
export async function invokeRedrive(name: string, event: object): Promise<RedriveReport> {
  const client = new LambdaClient({
    maxAttempts: 1,
    requestHandler: { requestTimeout: LONGEST_INVOCATION_MS, connectionTimeout: 5000 },
  });
  const question = { action: 'lambda:InvokeFunction', subject: `function ${name}` };
  const answer = await askAws(question, () =>
    client.send(
      new InvokeCommand({
        FunctionName: name,
        InvocationType: 'RequestResponse',
        Payload: new TextEncoder().encode(JSON.stringify(event)),
      }),
    ),
  );
  const result = parse(answer.Payload);
  if (answer.FunctionError !== undefined || !isReport(result)) {
    const { errorMessage } = (result ?? {}) as { readonly errorMessage?: unknown };
    const seen = typeof errorMessage === 'string' ? errorMessage.slice(0, 300) : 'no report';
    throw new OpsError(
      EXIT.backend,
      'REDRIVE_FAILED',
      `the redrive function failed: ${seen}; its log has the line invocation_failed`,
    );
  }
  return result;
}

function parse(payload: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return undefined;
  }
}

function isReport(value: unknown): value is RedriveReport {
  return typeof value === 'object' && value !== null && 'decisions' in value && 'summary' in value;
}
