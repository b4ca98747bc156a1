import { RemindOnceError } from '#core/errors.ts';

export type AwsPlace = { readonly region: string; readonly endpoint: string };

/**
 * Where a service is called, by the variables that the SDK reads too: `AWS_REGION`, and for another
 * endpoint `AWS_ENDPOINT_URL_<SERVICE>` or `AWS_ENDPOINT_URL`.
 * @param variable the service as the variable's name spells it: `DYNAMODB`
 * @throws RemindOnceError AWS_REGION_MISSING
 */
export function awsPlace(
  service: string,
  variable: string,
  given: { readonly region?: string | undefined; readonly endpoint?: string | undefined } = {},
): AwsPlace {
  const { env } = process;
  const region = given.region ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION']);
  if (!region) {
    throw new RemindOnceError(
      'AWS_REGION_MISSING',
      'AWS_REGION is not set; Lambda sets it, elsewhere set it to the region of the installation',
    );
  }
  const override =
    given.endpoint ?? (env[`AWS_ENDPOINT_URL_${variable}`] || env['AWS_ENDPOINT_URL']);
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return { region, endpoint: override || `https://${service}.${region}.${domain}` };
}
