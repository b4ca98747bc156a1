import { REAL_SECRETS } from '#test/proof/real/real-stage.ts';

/** In every text that a hostile payload carries: found anywhere else, it has leaked. */
export const MARK = 'zqplanted';

export const EMAIL = `ann.${MARK}@example.org`;
export const PHONE = '+237673479737';
export const BEARER = `Bearer sk_live_${MARK}0123456789`;
export const TEXT = `Hi Ann ${MARK}, your code is 4711`;

/** What the run's own output must not hold, whatever the payloads were. */
const NEEDLES: readonly string[] = [
  MARK,
  PHONE.slice(1),
  ...Object.values(REAL_SECRETS),
  ...Object.values(REAL_SECRETS).map((secret) => Buffer.from(secret).toString('base64')),
];

/** The planted texts that `text` holds, in any case of letters and also URL-encoded or escaped. */
export function leaksIn(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return NEEDLES.filter((needle) => lower.includes(needle.toLowerCase()));
}
