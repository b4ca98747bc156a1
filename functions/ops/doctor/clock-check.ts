import type { HttpClient } from '#adapters/http/http-call.ts';
import { type Check, check } from './check.ts';
import { WHY } from './why.ts';

const TIMEOUT_MS = 8000;
/** `Date` has whole seconds, and it was written somewhere within the call. */
const RESOLUTION_SECONDS = 1.5;

/**
 * The queue's clock against AWS's, by the `Date` of an answer each: the workers run on the latter.
 * @param allowedSeconds the declared skew allowance
 */
export async function clockCheck(
  http: HttpClient,
  queueUrl: string,
  allowedSeconds: number,
): Promise<Check> {
  const aws = awsUrl();
  const [queueSkew, awsSkew] = await Promise.all([
    skewSeconds(http, `${queueUrl}/v1/discovery`),
    skewSeconds(http, aws),
  ]);
  if (queueSkew === null || awsSkew === null) {
    const silent = [queueSkew === null && 'the queue', awsSkew === null && 'AWS'].filter(Boolean);
    return check('clock', WHY.clock, {
      level: 'warn',
      what: `${silent.join(' and ')} gave no date`,
      mend: 'run doctor again',
    });
  }
  const between = Math.abs(queueSkew - awsSkew);
  const shown = (seconds: number) => `${seconds.toFixed(1)} s`;
  const what = `queue and AWS differ by ${shown(between)}; this machine is ${shown(-awsSkew)} ahead of AWS`;
  return between <= allowedSeconds + RESOLUTION_SECONDS
    ? check('clock', WHY.clock, { level: 'ok', what })
    : check('clock', WHY.clock, {
        level: 'fail',
        what: `${what}; allowed ${allowedSeconds} s`,
        mend: 'raise DELIVERY.skewSeconds above it (and the lease with it), and tell Infrai',
      });
}

/** Where the ledger is asked: its answers carry the clock that the workers run on. */
function awsUrl(): string {
  const { AWS_ENDPOINT_URL_DYNAMODB: own, AWS_ENDPOINT_URL: all, AWS_REGION: region } = process.env;
  const domain = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return own || all || `https://dynamodb.${region}.${domain}`;
}

/** How far the answering clock is ahead of this machine's; null without a date. */
async function skewSeconds(http: HttpClient, url: string): Promise<number | null> {
  const before = Date.now();
  const answer = await http.call({
    method: 'GET',
    url,
    headers: { 'user-agent': 'remind-once' },
    timeoutMs: TIMEOUT_MS,
  });
  const after = Date.now();
  if (answer.kind !== 'answer') return null;
  const at = Date.parse(answer.headers['date'] ?? '');
  return Number.isNaN(at) ? null : (at + 500 - (before + after) / 2) / 1000;
}
