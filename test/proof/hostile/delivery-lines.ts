export type DeliveryLine = {
  readonly messageId: string;
  readonly outcome: string;
  readonly reason: string;
  readonly sendKey: string | null;
};

/** What functions wrote, as CloudWatch would get it: one JSON object a line, and nothing else. */
export class DeliveryLines {
  /** Everything, as it came. */
  text = '';
  /** Lines that are no JSON object: somebody else's text made a line of its own. */
  readonly unreadable: string[] = [];
  readonly #deliveries = new Map<string, DeliveryLine>();
  readonly #outcomes = new Map<string, number>();
  readonly #metrics = new Map<string, number>();
  #rest = '';

  take(chunk: string): void {
    this.text += chunk;
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  /** The last line that tells of a message. */
  last(messageId: string): DeliveryLine | undefined {
    return this.#deliveries.get(messageId);
  }

  /** Deliveries with this outcome. */
  count(outcome: string): number {
    return this.#outcomes.get(outcome) ?? 0;
  }

  /** A metric's values, added up over all runs. */
  metric(name: string): number {
    return this.#metrics.get(name) ?? 0;
  }

  #line(line: string): void {
    if (line === '') return;
    const value = parsed(line);
    if (value === undefined) {
      this.unreadable.push(line.slice(0, 200));
      return;
    }
    if ('_aws' in value) {
      for (const [name, figure] of Object.entries(value)) {
        if (typeof figure !== 'number') continue;
        this.#metrics.set(name, this.metric(name) + figure);
      }
    }
    if (value['message'] !== 'delivery') return;
    const delivery = value as unknown as DeliveryLine;
    this.#deliveries.set(delivery.messageId, delivery);
    this.#outcomes.set(delivery.outcome, this.count(delivery.outcome) + 1);
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
