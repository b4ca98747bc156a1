/** What a secret holds after its creation and before an operator has set it. */
export const SECRET_PLACEHOLDER = 'REPLACE_ME';

const PLACEHOLDERS = /^(replace[-_ ]?me|change[-_ ]?me|placeholder|unset|<.*>)$/i;

/** A secret that was never really set: sent as it is, it would read as a wrong key. */
export function isUnsetSecret(text: string): boolean {
  return text.trim() === '' || PLACEHOLDERS.test(text.trim());
}
