/** What kind of address a provider wants. */
export type AddressKind = 'email' | 'phone' | 'token' | 'any';

/**
 * One recipient, never a list: what a directory or a payload says must not become a second
 * recipient (`a@x, b@y`), a display name, or another line of a header.
 */
const SHAPES: Readonly<Record<AddressKind, RegExp>> = {
  email: /^[^\s<>()[\],;:"\\@\p{Cc}]+@[^\s<>()[\],;:"\\@\p{Cc}]+$/u,
  /** E.164. */
  phone: /^\+[1-9]\d{6,14}$/,
  token: /^[!-~]+$/,
  any: /^[^\p{Cc}\u2028\u2029]+$/u,
};
const MAX_LENGTH: Readonly<Record<AddressKind, number>> = {
  email: 254,
  phone: 16,
  token: 4096,
  any: 4096,
};

export function isAddress(value: string, kind: AddressKind): boolean {
  return value.length <= MAX_LENGTH[kind] && SHAPES[kind].test(value);
}
