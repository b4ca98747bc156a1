/**
 * The seams of the product. Use cases in `app` know the outside only by these interfaces;
 * `adapters` implement them. Expected outcomes are values: a port throws only for bugs.
 */
import type { ClaimToken, EpochMs, SendKey } from '#core/brand.ts';
import type { LedgerRecord, LedgerState } from '#core/ledger-record.ts';
import type { Reminder } from '#core/reminder.ts';
import type { QueryResult, SenderProfile, SendResult } from '#core/send-result.ts';

/** One hand-over by the queue. */
export type QueueMessage = {
  readonly messageId: string;
  /** Whatever the broker carried, JSON-decoded once when it came as a string; unchecked. */
  readonly payload: unknown;
  /** The broker's count, 1 first; for logs only, it decides nothing. Null when the broker gave none. */
  readonly deliveryCount: number | null;
  /** The queue's token for the ack of this delivery. */
  readonly ackHandle: string;
};

/** A call to the queue that did not do its work. Nothing is known beyond the code. */
export type QueueFailure = {
  readonly kind: 'failed';
  /** The envelope's error code, or `HTTP_<status>`, `TIMEOUT`, `CONNECTION`, `NOT_JSON`. */
  readonly code: string;
  readonly retryAfterSeconds?: number;
};

export type ConsumeAnswer =
  | { readonly kind: 'messages'; readonly messages: readonly QueueMessage[] }
  | QueueFailure;

export type PublishRequest = {
  readonly payload: Readonly<Record<string, unknown>>;
  /** 0…604800. */
  readonly delaySeconds: number;
  /** Names the copy that is being made; the server answers a repeated key with the first result. */
  readonly idempotencyKey: string;
};
export type PublishAnswer =
  | { readonly kind: 'published'; readonly messageId: string }
  /** The key came before with another body: the earlier publish got through. */
  | { readonly kind: 'already-published' }
  | QueueFailure;

export type AckAnswer =
  | { readonly kind: 'acked' }
  /** The lease was over or the message gone: normal after a settled delivery, and counted. */
  | { readonly kind: 'not-in-flight' }
  | QueueFailure;

/** The figures of `GET /v1/queue/stats/{queue}` as sent, unchecked: judging them is `core`'s work. */
export type StatsAnswer =
  | { readonly kind: 'stats'; readonly figures: Readonly<Record<string, unknown>> }
  | QueueFailure;

/** One queue by name. `<queue>.dlq` is an ordinary queue to this port. */
export interface Queue {
  readonly name: string;
  consume(request: {
    readonly maxMessages: number;
    readonly visibilityTimeoutSeconds: number;
  }): Promise<ConsumeAnswer>;
  publish(request: PublishRequest): Promise<PublishAnswer>;
  ack(message: QueueMessage): Promise<AckAnswer>;
  stats(): Promise<StatsAnswer>;
}

export type RedriveAnswer =
  | { readonly kind: 'redriven' }
  /** The queue does not know the message as a dead letter any more. */
  | { readonly kind: 'gone'; readonly code: string }
  | QueueFailure;

/** The dead letters of one queue. Reading them leases them, as with any queue. */
export interface DeadLetters extends Pick<Queue, 'name' | 'consume' | 'ack' | 'stats'> {
  redrive(messageId: string): Promise<RedriveAnswer>;
}

/** Account facts of the queue's vendor, as sent. */
export interface Account {
  balance(): Promise<
    { readonly kind: 'balance'; readonly figures: Readonly<Record<string, unknown>> } | QueueFailure
  >;
}

/** A ledger call that did not answer in time or at all. It may or may not have been applied. */
export type LedgerFailure = { readonly kind: 'failed'; readonly code: string };

/** The row that a write expects to find: the fence of rule 2. */
export type Seen = { readonly claimToken: ClaimToken; readonly state: LedgerState };

/** The send ledger, named by race. Single-item conditional writes only. */
export interface Ledger {
  /** Put if absent. `exists` holds the row that is the answer; our own token in it counts as claimed. */
  claim(
    row: LedgerRecord,
  ): Promise<
    | { readonly kind: 'claimed' }
    | { readonly kind: 'exists'; readonly row: LedgerRecord }
    | LedgerFailure
  >;
  /**
   * Replace the row that was seen. `lost` means that another worker moved it (row), or that it is
   * gone (undefined); nothing was changed.
   */
  replace(
    row: LedgerRecord,
    seen: Seen,
  ): Promise<
    | { readonly kind: 'replaced' }
    | { readonly kind: 'lost'; readonly row: LedgerRecord | undefined }
    | LedgerFailure
  >;
  /** Consistent read. */
  read(
    sendKey: SendKey,
  ): Promise<
    | { readonly kind: 'row'; readonly row: LedgerRecord }
    | { readonly kind: 'absent' }
    | LedgerFailure
  >;
  /** UNKNOWN rows, oldest first, by the sparse index (eventually consistent: for lists, never for sends). */
  unresolved(request: { readonly limit: number; readonly cursor?: string }): Promise<
    | {
        readonly kind: 'page';
        readonly rows: readonly LedgerRecord[];
        readonly cursor?: string;
        /** Keys of rows that this release cannot read; present when there are any. */
        readonly unreadable?: readonly SendKey[];
      }
    | LedgerFailure
  >;
}

/** Small named documents beside the ledger: breaker, leases, last readings. Optimistic by version. */
export interface ControlStore {
  read(
    name: string,
  ): Promise<
    | { readonly kind: 'document'; readonly value: unknown; readonly version: number }
    | { readonly kind: 'absent' }
    | LedgerFailure
  >;
  /** @param expectedVersion the version that was read; 0 when the document was absent */
  write(
    name: string,
    value: unknown,
    expectedVersion: number,
  ): Promise<{ readonly kind: 'written' } | { readonly kind: 'lost' } | LedgerFailure>;
}

/** Everything a provider needs for one attempt. */
export type SendRequest = {
  readonly reminder: Reminder;
  readonly sendKey: SendKey;
  /** Version-8 UUID from the same digest, for providers that demand one. */
  readonly sendUuid: string;
  /**
   * The provider's call may not begin after this: the claim's lease would not cover it. Look-ups
   * before the call take time, and a frozen worker wakes up late. Absent: no bound.
   */
  readonly startBy?: EpochMs;
};

/** One channel's provider. Never retries by itself. */
export interface Sender {
  readonly profile: SenderProfile;
  /** Canonical text of what would be sent, recipient look-ups left out: pure, attempt-independent. */
  content(reminder: Reminder): string;
  send(request: SendRequest): Promise<SendResult>;
  /** Present exactly when the class is `queryable`. */
  query?(request: SendRequest): Promise<QueryResult>;
}

export interface Clock {
  now(): EpochMs;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** 0 ≤ x < 1 */
  fraction(): number;
  /** A fresh unguessable id, for claim tokens. */
  token(): string;
}

export interface Secrets {
  /** The secret's text. Throws SECRET_MISSING when there is none or it is empty. */
  get(name: string): Promise<string>;
}

/** One log line and any number of counts; fields are a fixed list of safe values. */
export interface Telemetry {
  /** A structured line: `event` is snake_case; values are ids of ours, codes, numbers. */
  log(
    level: 'info' | 'warn' | 'error',
    event: string,
    fields: Readonly<Record<string, LogValue>>,
  ): void;
  count(metric: string, value?: number): void;
  gauge(metric: string, value: number): void;
  /** A sample of a distribution, seconds or milliseconds as the metric's name says. */
  sample(metric: string, value: number): void;
}
export type LogValue = string | number | boolean | null | undefined;
