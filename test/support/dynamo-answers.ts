import type { ProxyFault } from './faulty-proxy.ts';

/** An error as DynamoDB words it. Source: Amazon DynamoDB Developer Guide, "Error handling". */
export function dynamoError(name: string, status = 400): ProxyFault {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: JSON.stringify({
      __type: `com.amazonaws.dynamodb.v20120810#${name}`,
      message: 'planted by a test',
    }),
  };
}

/** An answer that no DynamoDB gives. */
export function notDynamo(body: string, status = 200): ProxyFault {
  return { kind: 'answer', status, headers: { 'content-type': 'text/html' }, body };
}
