/** What came back, as a client without any library of ours sees it. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export type Envelope = {
  readonly ok: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: an independent client takes JSON as it comes
  readonly data: any;
  readonly error: { code: string; message: string; hint?: string; retryable?: boolean } | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** A client written from the contract page alone: plain fetch, bearer key, JSON. */
export class InfraiClient {
  readonly #url: () => string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string | (() => string), key: string | null = 'ifr_test') {
    this.#url = typeof url === 'string' ? () => url : url;
    this.#headers = key === null ? {} : { authorization: `Bearer ${key}` };
  }

  async raw(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> {
    const response = await fetch(this.#url() + path, {
      method,
      headers: { ...this.#headers, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async post(
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Envelope & { status: number }> {
    const answer = await this.raw('POST', path, body, headers);
    return { ...JSON.parse(answer.text), status: answer.status };
  }

  async get(path: string): Promise<Envelope & { status: number }> {
    const answer = await this.raw('GET', path);
    return { ...JSON.parse(answer.text), status: answer.status };
  }

  async publish(queue: string, payload: unknown, more: object = {}): Promise<string> {
    const { data, ok, error } = await this.post('/v1/queue/publish', { queue, payload, ...more });
    if (!ok) throw new Error(`publish refused: ${error?.code}`);
    return data.message_id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: see above
  async consume(queue: string, more: object = {}): Promise<any[]> {
    const { data } = await this.post('/v1/queue/consume', { queue, max_messages: 10, ...more });
    return data.items;
  }

  ack(queue: string, messageId: string): Promise<Envelope & { status: number }> {
    return this.post('/v1/queue/ack', { queue, message_id: messageId });
  }

  async stats(queue: string): Promise<Record<string, number>> {
    return (await this.get(`/v1/queue/stats/${queue}`)).data;
  }
}

/** The name or code of a fetch that got no answer. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name: string };
    return cause?.code ?? name;
  }
}
