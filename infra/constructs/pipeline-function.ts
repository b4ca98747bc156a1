import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  Effect,
  type IGrantable,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { BUNDLING, REPOSITORY, UNREACHED_MODULES } from '#infra/constructs/bundling.ts';
import { ENVIRONMENT_LIMIT_BYTES } from '#infra/constructs/function-environment.ts';

export type PipelineFunctionProps = {
  /** Path below the repository, of a module that exports `handler`. */
  readonly entry: string;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Undefined: none reserved. */
  readonly reservedConcurrency: number | undefined;
  /** An asynchronous event older than this is dropped. At least 60, Lambda's least. */
  readonly eventAgeSeconds: number;
  readonly logRetentionDays: number;
  /** Packages that the bundle may leave out, because nothing in this deployment loads them. */
  readonly unusedPackages?: readonly string[];
  /** Where an event goes that was dropped or failed. Undefined: the next tick makes it good. */
  readonly onFailure?: IQueue;
};

/**
 * One function with a role, a log group and a bundle of its own. It is called asynchronously by a
 * schedule, and Lambda repeats such a call twice by default, whatever the schedule's own retries
 * say: a run that failed half-way must not be started from zero by either, so both are 0.
 */
export class PipelineFunction extends Construct {
  readonly lambda: NodejsFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: PipelineFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetentionDays as RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.lambda = new NodejsFunction(this, 'Function', {
      description: props.description,
      entry: `${REPOSITORY}${props.entry}`,
      handler: 'handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      projectRoot: REPOSITORY,
      depsLockFilePath: `${REPOSITORY}package-lock.json`,
      bundling: {
        ...BUNDLING,
        externalModules: [...UNREACHED_MODULES, ...(props.unusedPackages ?? [])],
      },
      role: this.role,
      logGroup,
      environment: { ...props.environment, NODE_OPTIONS: '--enable-source-maps' },
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      retryAttempts: 0,
      maxEventAge: Duration.seconds(props.eventAgeSeconds),
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      ...(props.onFailure && { onFailure: new SqsDestination(props.onFailure) }),
    });
    this.node.addValidation({ validate: () => environmentFaults(this, props.environment) });
  }

  /** Allows the function `actions` on exactly `resources`. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    allow(this.role, actions, resources);
  }
}

export function allow(
  grantee: IGrantable,
  actions: readonly string[],
  resources: readonly string[],
): void {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: [...actions],
      resources: [...resources],
    }),
  );
}

/** What an unresolved name or ARN may grow to, bytes: the longest that CloudFormation makes here. */
const REFERENCE_BYTES = 180;

/** Lambda refuses a function whose variables exceed 4 KB, in the middle of a deployment. */
function environmentFaults(
  scope: Construct,
  environment: Readonly<Record<string, string>>,
): string[] {
  const resolved = Stack.of(scope).resolve(environment) as Readonly<Record<string, unknown>>;
  const sizes = Object.entries(resolved).map(
    ([name, value]) => [name, Buffer.byteLength(name) + sizeOf(value)] as const,
  );
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  if (total <= ENVIRONMENT_LIMIT_BYTES) return [];
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 3);
  const named = largest.map(([name, size]) => `${name} ${size}`).join(', ');
  return [
    `the function's environment may take ${total} bytes; Lambda allows ${ENVIRONMENT_LIMIT_BYTES}; largest: ${named}; leave settings at their defaults, drop old key epochs, or split the channels over two pipelines`,
  ];
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const parts = (value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] })[
    'Fn::Join'
  ];
  if (parts === undefined) return REFERENCE_BYTES;
  return parts[1].reduce<number>((sum, part) => sum + sizeOf(part), 0);
}
