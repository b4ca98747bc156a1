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

/** The code of the first part of a request that cannot be written; undefined when all can. */
export function invalidPart(request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}): string | undefined {
  if (!URL.canParse(request.url)) return 'INVALID_URL';
  if (!/^https?:$/.test(new URL(request.url).protocol)) return 'INVALID_URL';
  for (const [name, value] of Object.entries(request.headers)) {
    if (!isHeaderName(name) || !isHeaderValue(value)) return 'INVALID_HEADER';
  }
  return undefined;
}
