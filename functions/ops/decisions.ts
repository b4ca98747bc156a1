/** What an operator may find out about an unknown outcome, as typed. */
export const DECISIONS = ['sent', 'not-sent', 'assumed-sent'] as const;
