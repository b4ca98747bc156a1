import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { systemClock } from '#adapters/system/clock.ts';
import { systemRandom } from '#adapters/system/random.ts';
import type { CommonFlags } from '#functions/ops/session.ts';
import { openSecrets } from '#wiring/open-secrets.ts';
import { awsChecks } from './aws-checks.ts';
import { askAws } from './aws-fault.ts';
import { invokeRedrive, readFunction } from './aws-functions.ts';
import { readStack } from './aws-stack.ts';
import { awsUsage } from './aws-usage.ts';
import { SILENT, type Target } from './target.ts';

/** An installation in AWS, found by its service stack; its functions' own settings are used. */
export async function openAwsTarget(
  flags: Pick<CommonFlags, 'pipeline' | 'stack' | 'region' | 'profile'> & {
    readonly stage: string;
  },
): Promise<Target> {
  const { stage, pipeline, region, profile } = flags;
  // The clients of the SDK and of the ledger read both from the process.
  if (profile !== undefined) process.env['AWS_PROFILE'] = profile;
  process.env['AWS_REGION'] = await regionOf(region);
  const stackName = flags.stack ?? `${pipeline}-${stage}-service`;
  const outputs = await readStack({ stackName, stage });
  const [consumer, redrive, stats] = await Promise.all(
    [outputs.consumerFunction, outputs.redriveFunction, outputs.statsFunction].map(readFunction),
  );
  if (consumer === undefined || redrive === undefined || stats === undefined) {
    throw new TypeError('three functions were asked for');
  }
  const functions = { consumer, redrive, stats };
  return {
    kind: 'aws',
    stage,
    id: `${stage}-${outputs.queueName}`.replace(/[^\w-]/g, '-'),
    environments: {
      consumer: consumer.environment,
      redrive: redrive.environment,
      stats: stats.environment,
    },
    clock: systemClock,
    random: systemRandom,
    secrets: openSecrets(process.env),
    telemetry: SILENT,
    invokeRedrive: (event) => invokeRedrive(redrive.name, event),
    platformChecks: () => awsChecks(outputs, functions),
    usage: () => awsUsage(outputs, functions),
  };
}

/** By flag, by variable, or by the profile, whose files only the SDK reads. */
async function regionOf(flag: string | undefined): Promise<string> {
  const named = flag || process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'];
  if (named) return named;
  delete process.env['AWS_REGION'];
  const question = { action: 'reading the region', subject: 'the profile' };
  return askAws(question, () => new CloudFormationClient({}).config.region());
}
