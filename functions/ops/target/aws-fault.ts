import { errorName } from '#core/errors.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';

/** What was asked of AWS, for the one line of a failure. */
export type AwsQuestion = { readonly action: string; readonly subject: string };

/** Runs one call to AWS; whatever it throws becomes one line that says what to do. */
export async function askAws<Answer>(
  question: AwsQuestion,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof OpsError) throw error;
    throw awsFault(error, question);
  }
}

const CREDENTIALS_REFUSED =
  /^(ExpiredToken(Exception)?|UnrecognizedClient(Exception)?|InvalidClientTokenId|InvalidSignature(Exception)?|SignatureDoesNotMatch|AuthFailure)$/;

export function awsFault(error: unknown, { action, subject }: AwsQuestion): OpsError {
  const { name: thrown, message } = error as {
    readonly name?: unknown;
    readonly message?: unknown;
  };
  const name = typeof thrown === 'string' ? thrown : errorName(error);
  const text = typeof message === 'string' ? message : '';
  if (/Credentials?(Provider)?Error$/.test(name) || /Could not load credentials/.test(text)) {
    return fault(
      'NO_CREDENTIALS',
      'no AWS credentials were found; log in (aws sso login), or give --profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  if (CREDENTIALS_REFUSED.test(name)) {
    return fault('CREDENTIALS_REFUSED', `AWS refused the credentials (${name}); log in again`);
  }
  if (/Region is missing/.test(text) || errorName(error) === 'AWS_REGION_MISSING') {
    return fault('NO_REGION', 'no AWS region is set; give --region, or set AWS_REGION');
  }
  if (/AccessDenied|NotAuthorized|Forbidden/.test(name)) {
    return fault(
      'ACCESS_DENIED',
      `AWS does not allow ${action} on ${subject}; let the operator's role do it (grantOperate of the pipeline construct)`,
    );
  }
  if (/ResourceNotFound|NotFoundException$|^NotFound$/.test(name)) {
    return fault(
      'NOT_FOUND',
      `${subject} does not exist (${action}); look at the region and stage`,
    );
  }
  return new OpsError(
    EXIT.backend,
    'AWS_FAILED',
    `AWS did not answer ${action} on ${subject} as asked (${name}); look at region and network, and try again`,
  );
}

function fault(code: string, message: string): OpsError {
  return new OpsError(EXIT.target, code, message);
}
