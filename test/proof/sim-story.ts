import type { EpochMs, SendKey } from '#core/brand.ts';
import type { LedgerRecord } from '#core/ledger-record.ts';
import type { PublishRequest, QueueMessage, SendRequest } from '#ports';
import type { Fate, PortCall } from '#test/support/fated-worker.ts';

/** What happened to one reminder, call by call. Nothing is noted of any other. */
export class Story {
  readonly lines: string[] = [];
  readonly #sendKey: SendKey;
  readonly #userId: string;
  readonly #from: EpochMs;

  constructor(sendKey: SendKey, userId: string, from: EpochMs) {
    this.#sendKey = sendKey;
    this.#userId = userId;
    this.#from = from;
  }

  tell(at: EpochMs, line: string): void {
    const seconds = (at - this.#from) / 1000;
    this.lines.push(`+${seconds.toFixed(3)} s ${line}`);
  }

  note(at: EpochMs, worker: string, call: PortCall, fate: Fate, answer: unknown): void {
    if (!this.#concerns(call, answer)) return;
    const detail = detailOf(call);
    const kind = (answer as { kind?: string } | undefined)?.kind ?? 'done';
    const met = fate === 'goes-on' ? '' : ` [${fateName(fate)}]`;
    this.tell(at, `${worker} ${call.method}${detail}: ${kind}${met}`);
  }

  #concerns(call: PortCall, answer: unknown): boolean {
    const [first] = call.args;
    switch (call.method) {
      case 'claim':
      case 'replace':
        return (first as LedgerRecord).sendKey === this.#sendKey;
      case 'read':
        return first === this.#sendKey;
      case 'send':
      case 'query':
        return (first as SendRequest).sendKey === this.#sendKey;
      case 'publish':
        return (first as PublishRequest).idempotencyKey.startsWith(this.#sendKey);
      case 'ack':
        return this.#isMine(first as QueueMessage);
      case 'consume':
        return messagesOf(answer).some((message) => this.#isMine(message));
      default:
        return false;
    }
  }

  #isMine({ payload }: QueueMessage): boolean {
    const userId = (payload as { user_id?: unknown } | null)?.user_id;
    return String(userId) === this.#userId;
  }
}

export function fateName(fate: Fate): string {
  return typeof fate === 'string' ? fate : `frozen ${fate.frozen} for ${fate.forMs} ms`;
}

function messagesOf(answer: unknown): readonly QueueMessage[] {
  return (answer as { messages?: readonly QueueMessage[] } | undefined)?.messages ?? [];
}

function detailOf({ method, args }: PortCall): string {
  const [first] = args;
  if (method === 'claim' || method === 'replace') {
    const { state, reason, attempt } = first as LedgerRecord;
    return ` ${state} (${reason}, attempt ${attempt})`;
  }
  if (method === 'publish') {
    const { idempotencyKey, delaySeconds } = first as PublishRequest;
    return ` copy ${idempotencyKey.split('-').slice(1).join('-')}, delay ${delaySeconds} s`;
  }
  return '';
}
