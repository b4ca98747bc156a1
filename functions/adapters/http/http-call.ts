import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { NotSentCause, UnknownCause } from '#adapters/http/connection-fault.ts';
import { causeAfterHandOver, outcomeBeforeHandOver } from '#adapters/http/connection-fault.ts';
import { type Address, AddressBook, invalidHeader } from '#adapters/http/request-parts.ts';

/**
 * Not by `import`: an ES module's import of `node:http` reads every export, and one of them loads
 * Node's whole fetch client. That is 30 ms of CPU in each cold start for nothing.
 */
const { Agent: PlainAgent, request: plainRequest } = process.getBuiltinModule('node:http');
const { Agent: TlsAgent, request: tlsRequest } = process.getBuiltinModule('node:https');

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute, http or https. */
  readonly url: string;
  /** Printable ASCII values only; anything else is an `invalid-request` without a call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};

export type HttpAnswer = {
  readonly kind: 'answer';
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/**
 * What one call proved. `not-sent`: no byte of the request left this process. `unknown`: it may
 * have been received and acted upon. `invalid-request`: it could not be built; there was no call.
 * None of them carries a header, a body, an address or a library's error text.
 */
export type HttpOutcome =
  | HttpAnswer
  | { readonly kind: 'not-sent'; readonly cause: NotSentCause }
  | { readonly kind: 'unknown'; readonly cause: UnknownCause }
  | { readonly kind: 'invalid-request'; readonly code: string };

export type HttpClientOptions = {
  /** Connections per origin. */
  readonly maxSockets: number;
  /** Bound on name resolution, TCP and TLS together. */
  readonly connectTimeoutMs?: number;
  /** A larger answer is cut off: a runaway answer must not end the process for lack of memory. */
  readonly maxAnswerBytes?: number;
  /** How long an unused connection is kept. */
  readonly freeSocketTimeoutMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonicMs?: () => number;
};

export interface HttpClient {
  /** One call: no redirect is followed and nothing is repeated. Never rejects. */
  call(request: HttpRequest): Promise<HttpOutcome>;
  /** Drops every connection, also busy ones. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/**
 * Common servers close an unused connection after 5 s (Node) or more. Below that, we are the side
 * that closes first; above it, a request can meet the server's close on its way, and its reset
 * reads as an unknown outcome: a parked reminder on a blind channel, for nothing.
 */
const FREE_SOCKET_TIMEOUT_MS = 4_000;

/** Calls that are closer together than this had no freeze between them that matters. */
const FREEZE_GAP_MS = 100;

/**
 * HTTP and HTTPS over kept-alive connections.
 *
 * The request is handed to a socket only once that socket is connected (for https: after the
 * handshake), so `not-sent` is a fact about our own order of steps and not a guess from an error.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const limits = {
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
  };
  const pool = createPool(options);
  const addresses = new AddressBook();
  return {
    call(request) {
      const address = addresses.find(request.url);
      const invalid = address === undefined ? 'INVALID_URL' : invalidHeader(request.headers);
      if (address === undefined || invalid !== undefined) {
        return Promise.resolve({ kind: 'invalid-request', code: invalid ?? 'INVALID_URL' });
      }
      pool.dropStale();
      return new Promise((resolve) => new Call(request, address, limits, pool, resolve).start());
    },
    close: () => pool.close(),
  };
}

interface Pool {
  open(request: HttpRequest, address: Address): ClientRequest;
  /** Whether the socket has finished connecting. */
  isReady(socket: Socket): boolean;
  /** Calls back once it has. */
  whenReady(socket: Socket, secure: boolean, ready: () => void): void;
  dropStale(): void;
  close(): void;
}

function createPool(options: HttpClientOptions): Pool {
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const freeMs = options.freeSocketTimeoutMs ?? FREE_SOCKET_TIMEOUT_MS;
  const agentOptions = { keepAlive: true, maxSockets: options.maxSockets, timeout: freeMs };
  const plain = new PlainAgent(agentOptions);
  const tls = new TlsAgent(agentOptions);
  const connected = new WeakSet<Socket>();
  const freeSince = new WeakMap<Socket, number>();
  let lastUseAt = 0;
  for (const agent of [plain, tls]) {
    agent.on('free', (socket: Socket) => freeSince.set(socket, monotonicMs()));
  }
  return {
    open({ method, headers, body }, { secure, ...place }) {
      const options = {
        ...place,
        method,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
        agent: secure ? tls : plain,
      };
      return secure ? tlsRequest(options) : plainRequest(options);
    },
    isReady: (socket) => connected.has(socket),
    whenReady(socket, secure, ready) {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected.add(socket);
        ready();
      });
    },
    /**
     * A frozen Lambda runs no timers: on waking, a connection that the server closed long ago can
     * be picked before its own time-out has had a turn. So age is checked at each use as well that
     * follows a gap; without one, timers have been running.
     */
    dropStale() {
      const now = monotonicMs();
      const gapMs = now - lastUseAt;
      lastUseAt = now;
      if (gapMs < FREEZE_GAP_MS) return;
      const oldest = now - freeMs;
      for (const agent of [plain, tls]) {
        for (const socket of Object.values(agent.freeSockets).flat()) {
          if (socket !== undefined && (freeSince.get(socket) ?? 0) < oldest) socket.destroy();
        }
      }
    },
    close() {
      plain.destroy();
      tls.destroy();
    },
  };
}

/** One call's life: waiting for a connection → handed over → answered; it settles once. */
class Call {
  readonly #request: HttpRequest;
  readonly #address: Address;
  readonly #limits: { readonly connectTimeoutMs: number; readonly maxAnswerBytes: number };
  readonly #pool: Pool;
  readonly #resolve: (outcome: HttpOutcome) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  #client: ClientRequest | undefined;
  #handedOver = false;
  #answering = false;
  #settled = false;

  constructor(
    request: HttpRequest,
    address: Address,
    limits: { readonly connectTimeoutMs: number; readonly maxAnswerBytes: number },
    pool: Pool,
    resolve: (outcome: HttpOutcome) => void,
  ) {
    this.#request = request;
    this.#address = address;
    this.#limits = limits;
    this.#pool = pool;
    this.#resolve = resolve;
  }

  start(): void {
    const { signal, timeoutMs } = this.#request;
    if (signal?.aborted) {
      this.#settle({ kind: 'unknown', cause: 'ABORTED' });
      return;
    }
    const client = this.#open();
    if (client === undefined) return;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#timers.push(setTimeout(() => this.#onTimeout(), timeoutMs));
    client.once('socket', (socket) => this.#onSocket(client, socket));
    client.once('response', (answer) => this.#onResponse(answer));
    client.on('error', (error) => this.#onError(error));
    client.once('close', () => this.#onClose());
  }

  #open(): ClientRequest | undefined {
    try {
      this.#client = this.#pool.open(this.#request, this.#address);
      return this.#client;
    } catch {
      // Node refuses what it cannot write (a header, a path) before any connection is made.
      this.#settle({ kind: 'invalid-request', code: 'REQUEST_NOT_BUILT' });
      return undefined;
    }
  }

  #onSocket(client: ClientRequest, socket: Socket): void {
    let timer: NodeJS.Timeout | undefined;
    const handOver = () => {
      clearTimeout(timer);
      if (this.#settled) return;
      this.#handedOver = true;
      client.end(this.#request.body);
    };
    if (this.#pool.isReady(socket)) {
      handOver();
      return;
    }
    timer = setTimeout(() => this.#onTimeout(), this.#limits.connectTimeoutMs);
    this.#timers.push(timer);
    this.#pool.whenReady(socket, this.#address.secure, handOver);
  }

  #onTimeout(): void {
    this.#settle(
      this.#handedOver
        ? { kind: 'unknown', cause: 'TIMEOUT' }
        : { kind: 'not-sent', cause: 'CONNECT_TIMEOUT' },
    );
  }

  readonly #onAbort = (): void => this.#settle({ kind: 'unknown', cause: 'ABORTED' });

  #onError(error: unknown): void {
    if (this.#answering) this.#settle({ kind: 'unknown', cause: 'CUT_BODY' });
    else if (this.#handedOver) this.#settle({ kind: 'unknown', cause: causeAfterHandOver(error) });
    else this.#settle(outcomeBeforeHandOver(error));
  }

  #onClose(): void {
    // Once an answer has begun, its own end or error tells the rest: it may still be in buffers.
    if (!this.#answering) this.#settle({ kind: 'unknown', cause: 'CLOSED' });
  }

  #onResponse(answer: IncomingMessage): void {
    this.#answering = true;
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.#limits.maxAnswerBytes) {
        this.#settle({ kind: 'unknown', cause: 'ANSWER_TOO_LARGE' });
      } else {
        chunks.push(chunk);
      }
    });
    answer.once('error', () => this.#settle({ kind: 'unknown', cause: 'CUT_BODY' }));
    // After a complete answer there is nothing left to settle.
    answer.once('close', () => this.#settle({ kind: 'unknown', cause: 'CUT_BODY' }));
    answer.once('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const status = answer.statusCode ?? 0;
      this.#finish({ kind: 'answer', status, headers: flatHeaders(answer), text });
    });
  }

  /** A complete answer: the connection goes back to the pool by itself. */
  #finish(outcome: HttpAnswer): void {
    if (this.#release()) this.#resolve(outcome);
  }

  /** Anything else: the connection is in an unknown state and must not be used again. */
  #settle(outcome: HttpOutcome): void {
    if (!this.#release()) return;
    this.#client?.destroy();
    this.#resolve(outcome);
  }

  #release(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

function flatHeaders(answer: IncomingMessage): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
