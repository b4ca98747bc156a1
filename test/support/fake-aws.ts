import type { IncomingMessage, ServerResponse } from 'node:http';
import { MARKER_FORMAT, OUTPUT } from '#config/outputs.ts';
import { listen, readBody } from '#infra/local/emulator-server.ts';

/** What the account of a test holds; change it between two commands. */
export type FakeAccount = {
  /** Outputs by stack name. */
  stacks: Record<string, Record<string, string>>;
  /** Environment by function name. */
  functions: Record<string, Readonly<Record<string, string>>>;
  timeoutSeconds: number;
  secrets: Record<string, string>;
  scheduleState: string;
  /** Subscription ARNs of the alarm topic, `PendingConfirmation` included. */
  subscriptions: string[];
  recovery: string;
  protection: boolean;
  /** Sums by metric name. */
  metrics: Record<string, number>;
  /** Refuses every call with this error name. */
  refuseWith: string | null;
  /** 200, or what the service answers instead of the function. */
  invokeStatus: number;
  invoke(name: string, event: unknown): Promise<unknown>;
};

export type FakeAws = {
  readonly url: string;
  readonly account: FakeAccount;
  /** Every call as `service operation`, in order. */
  readonly calls: readonly string[];
  close(): Promise<void>;
};

/** Outputs of a service stack as infra writes them. */
export function stackOutputs(stage: string, table: string): Record<string, string> {
  const names = Object.entries(OUTPUT).map(([name, key]) => [key, `${name}-of-${stage}`]);
  return {
    ...Object.fromEntries(names),
    [OUTPUT.marker]: `${MARKER_FORMAT} ${stage} remind-once`,
    [OUTPUT.ledgerTable]: table,
    [OUTPUT.alarmTopic]: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  };
}

/**
 * The few calls that the operator's command line makes to AWS, over one port; DynamoDB's own
 * go on to the engine.
 */
export async function startFakeAws(dynamoUrl: string, account: FakeAccount): Promise<FakeAws> {
  const calls: string[] = [];
  const server = await listen(
    async (request, response) => {
      const body = await readBody(request, 1024 * 1024);
      const text = body.kind === 'text' ? body.text : '';
      const call = { request, text, target: String(request.headers['x-amz-target'] ?? '') };
      calls.push(nameOf(call));
      if (account.refuseWith !== null) return refuse(response, call, account.refuseWith);
      await answer(response, call, account, dynamoUrl);
    },
    0,
    '127.0.0.1',
  );
  return { url: server.url, account, calls, close: () => server.close() };
}

type Call = { readonly request: IncomingMessage; readonly text: string; readonly target: string };

function nameOf({ request, text, target }: Call): string {
  const action = new URLSearchParams(text).get('Action');
  return target || action || `${request.method} ${request.url}`;
}

async function answer(
  response: ServerResponse,
  call: Call,
  account: FakeAccount,
  dynamoUrl: string,
): Promise<void> {
  const { target, text, request } = call;
  if (target.startsWith('DynamoDB_')) return dynamo(response, call, account, dynamoUrl);
  if (target === 'secretsmanager.GetSecretValue') {
    const { SecretId } = JSON.parse(text) as { SecretId: string };
    const SecretString = account.secrets[SecretId];
    return SecretString === undefined
      ? json(response, 400, { __type: 'ResourceNotFoundException' })
      : json(response, 200, { ARN: SecretId, Name: SecretId, SecretString });
  }
  if (target.endsWith('.GetMetricData')) return metrics(response, text, account);
  const query = new URLSearchParams(text);
  if (query.get('Action') === 'DescribeStacks') {
    return stacks(response, query.get('StackName') ?? '', account);
  }
  if (query.get('Action') === 'ListSubscriptionsByTopic') return topic(response, account);
  return lambdaOrSchedule(response, request, text, account);
}

async function lambdaOrSchedule(
  response: ServerResponse,
  request: IncomingMessage,
  text: string,
  account: FakeAccount,
): Promise<void> {
  const path = request.url ?? '';
  const name = decodeURIComponent(/functions\/([^/]+)\//.exec(path)?.[1] ?? '');
  const environment = account.functions[name];
  if (path.endsWith('/configuration')) {
    if (environment === undefined) return refuse(response, null, 'ResourceNotFoundException');
    return json(response, 200, {
      FunctionName: name,
      Timeout: account.timeoutSeconds,
      MemorySize: 512,
      Environment: { Variables: environment },
    });
  }
  if (path.endsWith('/invocations')) {
    if (account.invokeStatus !== 200) return json(response, account.invokeStatus, {});
    return json(response, 200, await account.invoke(name, JSON.parse(text)));
  }
  if (path.startsWith('/schedules/')) {
    return json(response, 200, {
      State: account.scheduleState,
      ScheduleExpression: 'rate(1 minute)',
    });
  }
  return json(response, 404, { message: `not played: ${request.method} ${path}` });
}

async function dynamo(
  response: ServerResponse,
  { target, text, request }: Call,
  { recovery, protection }: FakeAccount,
  dynamoUrl: string,
): Promise<void> {
  if (target.endsWith('.DescribeTimeToLive')) {
    const TimeToLiveDescription = { TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' };
    return json(response, 200, { TimeToLiveDescription });
  }
  if (target.endsWith('.DescribeContinuousBackups')) {
    const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus: recovery };
    return json(response, 200, {
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription,
      },
    });
  }
  const headers = {
    'x-amz-target': target,
    'content-type': String(request.headers['content-type']),
    authorization: String(request.headers.authorization),
    'x-amz-date': String(request.headers['x-amz-date']),
  };
  if (target === '') return json(response, 200, {});
  const passed = await fetch(dynamoUrl, { method: 'POST', headers, body: text });
  const said = (await passed.json()) as { Table?: object };
  if (said.Table !== undefined) {
    said.Table = { ...said.Table, DeletionProtectionEnabled: protection };
  }
  json(response, passed.status, said);
}

function metrics(response: ServerResponse, text: string, account: FakeAccount): void {
  const { MetricDataQueries } = JSON.parse(text) as {
    MetricDataQueries: { Id: string; MetricStat: { Metric: { MetricName: string } } }[];
  };
  json(response, 200, {
    MetricDataResults: MetricDataQueries.map(({ Id, MetricStat }) => ({
      Id,
      Values: [account.metrics[MetricStat.Metric.MetricName] ?? 0],
    })),
  });
}

function stacks(response: ServerResponse, name: string, account: FakeAccount): void {
  const outputs = account.stacks[name];
  if (outputs === undefined) {
    const message = `<Message>Stack with id ${name} does not exist</Message>`;
    const error = `<Error><Type>Sender</Type><Code>ValidationError</Code>${message}</Error>`;
    xml(response, 400, `<ErrorResponse>${error}</ErrorResponse>`);
    return;
  }
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  xml(
    response,
    200,
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><CreationTime>2026-07-01T00:00:00Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
}

function topic(response: ServerResponse, { subscriptions }: FakeAccount): void {
  const members = subscriptions.map(
    (arn) => `<member><SubscriptionArn>${arn}</SubscriptionArn></member>`,
  );
  xml(
    response,
    200,
    `<ListSubscriptionsByTopicResponse><ListSubscriptionsByTopicResult><Subscriptions>${members.join('')}</Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`,
  );
}

/** In each protocol's own form. */
function refuse(response: ServerResponse, call: Call | null, name: string): void {
  if (call?.text.startsWith('Action=')) {
    const error = `<Error><Type>Sender</Type><Code>${name}</Code><Message>no</Message></Error>`;
    xml(response, 403, `<ErrorResponse>${error}</ErrorResponse>`);
    return;
  }
  const status = name === 'ResourceNotFoundException' ? 404 : 403;
  json(response, status, { __type: name, message: 'no' }, { 'x-amzn-errortype': name });
}

function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

function xml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(text);
}
