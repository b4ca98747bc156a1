export type Sent = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the answer was no JSON. */
  readonly json: Record<string, unknown> | undefined;
};

/** An independent client of the provider emulator: plain fetch. */
export class ProviderClient {
  readonly #url: () => string;

  constructor(url: () => string) {
    this.#url = url;
  }

  async call(path: string, init: RequestInit = {}): Promise<Sent> {
    const response = await fetch(this.#url() + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: asJson(text) };
  }

  send(
    path: string,
    key: string | null,
    body: object = { n: 1 },
    init: RequestInit = {},
  ): Promise<Sent> {
    return this.call(path, {
      method: 'POST',
      headers: {
        authorization: 'Bearer any',
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
      ...init,
    });
  }

  /** What a queryable profile says of a key. */
  async items(path: string, key: string): Promise<{ id: string; key: string }[]> {
    const headers = { authorization: 'Bearer any' };
    const found = await this.call(`${path}?key=${key}`, { headers });
    return found.json?.['items'] as { id: string; key: string }[];
  }
}

function asJson(text: string): Sent['json'] {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
