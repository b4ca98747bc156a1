/** How a command of the operator's line ended. Documented in the README; never renumbered. */
export const EXIT = {
  /** Done; nothing is wrong. */
  ok: 0,
  /** Done, and something needs a person: a page, a failed check, a line that could not be read. */
  attention: 1,
  /** A wrong flag, an unreadable file, an id that is none: nothing was done. */
  usage: 2,
  /** The target cannot be worked on: no stage, no credentials, not an installation of this product. */
  target: 3,
  /** Not confirmed: nothing was done. */
  refused: 4,
  /** What stands in the ledger does not allow it: nothing was changed. */
  conflict: 5,
  /** Queue, ledger or AWS did not answer as asked; what was done before that is said. */
  backend: 6,
  /** A bug of ours. */
  bug: 70,
  /** Ended by Ctrl-C; what was done stays done. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
