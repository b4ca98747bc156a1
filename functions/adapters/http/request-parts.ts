const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Tab and printable ASCII: narrower than Node, which would send other letters as one odd byte. */
const HEADER_VALUE = /^[\t -~]*$/;

/** Whether a header of this name can be written at all. */
export function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name);
}

/** Whether every receiver reads this header value as it was meant. */
export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}

/** `INVALID_HEADER` when one of them cannot be written; undefined when all can. */
export function invalidHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) {
    if (!isHeaderName(name) || !isHeaderValue(headers[name] ?? '')) return 'INVALID_HEADER';
  }
  return undefined;
}

/** Where a request goes, its URL taken apart. */
export type Address = {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  /** `user:password` of a URL that carries them. */
  readonly auth?: string;
};

/** Enough for every route of every backend; URLs that carry a key would fill any size. */
const MAX_KNOWN = 64;

/** Takes a URL apart once: a drain calls the same few thousands of times. */
export class AddressBook {
  readonly #known = new Map<string, Address>();

  /** Undefined for anything but an absolute http or https URL. */
  find(url: string): Address | undefined {
    const known = this.#known.get(url);
    if (known !== undefined) return known;
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
    const { username, password } = parsed;
    const address: Address = {
      secure: parsed.protocol === 'https:',
      // Node wants an IPv6 address without the brackets that a URL has.
      hostname: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: parsed.port,
      path: `${parsed.pathname}${parsed.search}`,
      ...(username !== '' && { auth: decodeURIComponent(`${username}:${password}`) }),
    };
    if (this.#known.size < MAX_KNOWN) this.#known.set(url, address);
    return address;
  }
}
