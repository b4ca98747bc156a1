import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { MARKER_FORMAT, OUTPUT } from '#config/outputs.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';
import { askAws, awsFault } from './aws-fault.ts';

type OutputName = keyof typeof OUTPUT;
export type StackOutputs = Readonly<Record<OutputName, string>>;

export type StackQuestion = {
  readonly stackName: string;
  readonly stage: string;
};

/**
 * The outputs of an installation's service stack, once its marker has said that it is one.
 * Errors: STACK_MISSING, STACK_FOREIGN, STACK_INCOMPLETE, and those of `awsFault`.
 */
export async function readStack({ stackName, stage }: StackQuestion): Promise<StackOutputs> {
  const question = { action: 'cloudformation:DescribeStacks', subject: `stack ${stackName}` };
  const client = new CloudFormationClient({});
  const answer = await askAws(question, () =>
    client.send(new DescribeStacksCommand({ StackName: stackName })).catch((error: unknown) => {
      const { name, message } = error as { readonly name?: string; readonly message?: string };
      if (name === 'ValidationError' && /does not exist/.test(message ?? '')) throw missing();
      throw awsFault(error, question);
    }),
  );
  const outputs = new Map(
    (answer.Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [
      OutputKey ?? '',
      OutputValue ?? '',
    ]),
  );
  const [format, markedStage] = (outputs.get(OUTPUT.marker) ?? '').split(' ');
  if (format !== MARKER_FORMAT || markedStage !== stage) {
    const seen = outputs.get(OUTPUT.marker) ?? 'no marker';
    throw target(
      'STACK_FOREIGN',
      `stack ${stackName} is not the installation of stage ${stage}: its output ${OUTPUT.marker} is "${seen.slice(0, 80)}", not "${MARKER_FORMAT} ${stage} <pipeline>"; give another --stage or --stack`,
    );
  }
  const names = Object.keys(OUTPUT) as OutputName[];
  const absent = names.filter((name) => !outputs.get(OUTPUT[name]));
  if (absent.length > 0) {
    throw target(
      'STACK_INCOMPLETE',
      `stack ${stackName} lacks the outputs ${absent.map((name) => OUTPUT[name]).join(', ')}; deploy it again with this release`,
    );
  }
  return Object.fromEntries(
    names.map((name) => [name, outputs.get(OUTPUT[name]) ?? '']),
  ) as StackOutputs;

  function missing(): OpsError {
    return target(
      'STACK_MISSING',
      `there is no stack ${stackName} in this account and region; look at --stage, --pipeline, --region and --profile, or name it by --stack`,
    );
  }
}

function target(code: string, message: string): OpsError {
  return new OpsError(EXIT.target, code, message);
}
