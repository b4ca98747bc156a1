import { Token } from 'aws-cdk-lib';

const PLACEHOLDER_URL = 'https://placeholder.example.com/{key}/{user_id}';
const PLACEHOLDER_NAME = 'placeholder';

/**
 * Settings with a stand-in for each value that only the deployment knows, such as the URL of
 * another construct, so that the functions' schemas can judge all the rest.
 */
export function withoutTokens<Value>(value: Value, key = ''): Value {
  if (typeof value === 'string' && Token.isUnresolved(value)) {
    return (/url$/i.test(key) ? PLACEHOLDER_URL : PLACEHOLDER_NAME) as Value;
  }
  if (Array.isArray(value)) return value.map((one) => withoutTokens(one, key)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutTokens(inner, name)]),
  ) as Value;
}
