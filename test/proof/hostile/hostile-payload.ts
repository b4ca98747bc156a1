/** What has to become of a payload. */
export type Expected =
  /** One effect under its key. */
  | 'sent'
  /** No key can be made: dead-lettered with a reason. */
  | 'invalid'
  /** Late: a row says so, nothing is sent. */
  | 'expired'
  /** A copy waits for its instant. */
  | 'waits';

export type HostilePayload = {
  readonly name: string;
  /** Whatever the producer published; a text is JSON that the consumer decodes. */
  readonly payload: unknown;
  /** Absent where it depends on what was generated: then any of them is right, silence is not. */
  readonly expects?: Expected;
};
