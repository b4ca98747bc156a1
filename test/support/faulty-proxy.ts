import { EventEmitter, once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of one request. The server behind the proxy sees it unless said otherwise. */
export type ProxyFault =
  | { readonly kind: 'pass' }
  /** Applied behind the proxy; then the connection is cut instead of an answer. */
  | { readonly kind: 'drop-answer' }
  /** Applied behind the proxy; the answer breaks off in the middle of its body. */
  | { readonly kind: 'cut-answer' }
  /** Applied behind the proxy; the connection stays open and silent. */
  | { readonly kind: 'withhold-answer' }
  /** Never seen behind the proxy; the connection stays open and silent. */
  | { readonly kind: 'half-open' }
  /** Never seen behind the proxy; the connection is cut. */
  | { readonly kind: 'reset' }
  /** Passed on once the test says so. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  /** Never seen behind the proxy: this is the answer. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Applied behind the proxy; the answer's body is changed on its way back. */
  | { readonly kind: 'rewrite'; readonly rewrite: (body: string) => string };

/** The faults that need no more than their name. */
type BareFault = 'pass' | 'drop-answer' | 'cut-answer' | 'withhold-answer' | 'half-open' | 'reset';

export type ProxiedRequest = {
  /** AWS: the operation, as `PutItem`. Others: method and path, as `POST /v1/queue/publish`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

type Scripted = { readonly operation: string; readonly fault: ProxyFault };
type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A fault that lasts: asked for every request that no script has an answer for. */
export type FaultRule = (request: ProxiedRequest) => ProxyFault | undefined;

/** An HTTP proxy in front of a real server: it counts requests and loses what the test wants lost. */
export class FaultyProxy {
  /** Every request in the order of arrival, faulted ones included. */
  readonly requests: ProxiedRequest[] = [];
  readonly endpoint: string;
  readonly #upstream: URL | undefined;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #hangUps = new EventEmitter();
  #scripted: Scripted[] = [];
  #rule: FaultRule = () => undefined;

  private constructor(server: Server, upstream: string | undefined) {
    this.#server = server;
    this.#upstream = upstream === undefined ? undefined : new URL(upstream);
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** @param upstream the real server's URL; without one every request needs an `answer` */
  static async start(upstream?: string): Promise<FaultyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, upstream);
  }

  /** The next `times` requests of `operation` (`*`: any), after those already scripted, meet `fault`. */
  next(operation: string, fault: ProxyFault | BareFault, times = 1): this {
    for (let left = times; left > 0; left -= 1) {
      this.#scripted.push({ operation, fault: asFault(fault) });
    }
    return this;
  }

  /** From now on every request of `operation` (`*`: any) meets `fault`. Replaces the rule before. */
  always(operation: string, fault: ProxyFault | BareFault): this {
    const lasting = asFault(fault);
    return this.rule((request) => (matches(operation, request) ? lasting : undefined));
  }

  rule(rule: FaultRule): this {
    this.#rule = rule;
    return this;
  }

  /** Forgets faults and requests. */
  calm(): this {
    this.#scripted = [];
    this.#rule = () => undefined;
    this.requests.length = 0;
    return this;
  }

  /** Requests so far by operation, as `{ PutItem: 2 }`. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { operation } of this.requests) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  /** Resolves when a caller next gives up a request that it has sent and that is not answered. */
  async nextHangUp(): Promise<void> {
    await once(this.#hangUps, 'hang-up');
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    const body = await bodyOf(request);
    if (body === undefined) return;
    const seen = describe(request, body);
    this.requests.push(seen);
    const fault = this.#faultOf(seen);
    response.on('close', () => {
      if (!response.writableEnded) this.#hangUps.emit('hang-up');
    });
    switch (fault.kind) {
      case 'half-open':
        return;
      case 'reset':
        request.socket.destroy();
        return;
      case 'answer':
        response.writeHead(fault.status, {
          'content-type': 'application/json',
          ...fault.headers,
        });
        response.end(fault.body);
        return;
      case 'delay':
        await fault.until;
    }
    const answer = await this.#forward(request, body).catch(() => undefined);
    if (answer === undefined) request.socket.destroy();
    else giveBack(answer, fault, request, response);
  }

  #faultOf(request: ProxiedRequest): ProxyFault {
    const index = this.#scripted.findIndex(({ operation }) => matches(operation, request));
    const [scripted] = index < 0 ? [] : this.#scripted.splice(index, 1);
    return scripted?.fault ?? this.#rule(request) ?? { kind: 'pass' };
  }

  #forward(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const upstream = this.#upstream;
    if (upstream === undefined) return Promise.reject(new Error('no server behind this proxy'));
    return new Promise((resolve, reject) => {
      const onward = httpRequest(
        {
          agent: this.#agent,
          host: upstream.hostname,
          port: upstream.port,
          method: request.method,
          path: request.url,
          headers: request.headers,
        },
        (answer) => {
          bodyOf(answer).then((received) => {
            if (received === undefined) reject(new Error('the answer broke off'));
            else {
              const { statusCode = 502, headers } = answer;
              resolve({ status: statusCode, headers, body: received });
            }
          }, reject);
        },
      );
      onward.on('error', reject);
      onward.end(body);
    });
  }
}

function giveBack(
  answer: Answer,
  fault: ProxyFault,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  switch (fault.kind) {
    case 'drop-answer':
      request.socket.destroy();
      return;
    case 'withhold-answer':
      return;
    case 'cut-answer':
      response.writeHead(answer.status, answer.headers);
      response.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => {
        request.socket.destroy();
      });
      return;
    case 'rewrite': {
      const { 'content-length': _length, 'x-amz-crc32': _checksum, ...headers } = answer.headers;
      response.writeHead(answer.status, headers);
      response.end(fault.rewrite(answer.body.toString()));
      return;
    }
    default:
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
  }
}

/** Undefined when the sender hung up before the end. */
async function bodyOf(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function describe(request: IncomingMessage, body: Buffer): ProxiedRequest {
  const { method = '', url = '', headers } = request;
  const target = headers['x-amz-target'];
  const operation = typeof target === 'string' ? target.split('.').at(-1) : undefined;
  const path = url.split('?')[0] ?? '';
  return {
    operation: operation ?? `${method} ${path}`,
    method,
    path: url,
    headers,
    body: body.toString(),
  };
}

function matches(operation: string, request: ProxiedRequest): boolean {
  return operation === '*' || operation === request.operation;
}

function asFault(fault: ProxyFault | BareFault): ProxyFault {
  return typeof fault === 'string' ? { kind: fault } : fault;
}
