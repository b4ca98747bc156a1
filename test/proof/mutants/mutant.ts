/**
 * A fault that is put into our own code on purpose: the suites have to notice it. `find` stands
 * once in `file`; a patch that does not apply any more is an error, not a caught fault.
 */
export type Mutant = {
  readonly name: string;
  /** Path below the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Test files that have to catch it, the likeliest first. */
  readonly suites: readonly string[];
};

const FAULTS = 'test/faults';
const CORE = 'test/unit/core';

/** Suites by short name, so that the lists stay readable. */
export const SUITE = {
  duplicates: `${FAULTS}/duplicates.test.ts`,
  ended: `${FAULTS}/ended-worker.test.ts`,
  deferred: `${FAULTS}/deferred.test.ts`,
  republish: `${FAULTS}/republish.test.ts`,
  seeded: `${FAULTS}/seeded-faults.test.ts`,
  fieldReports: `${FAULTS}/field-reports.test.ts`,
  drain: 'test/unit/app/drain-queue.test.ts',
  drainTrouble: 'test/unit/app/drain-queue-trouble.test.ts',
  sendKey: `${CORE}/send-key.test.ts`,
  reminder: `${CORE}/reminder.test.ts`,
  keyEpoch: `${CORE}/key-epoch.test.ts`,
  afterClaim: `${CORE}/plan-after-claim.test.ts`,
  afterSend: `${CORE}/plan-after-send.test.ts`,
  beforeClaim: `${CORE}/plan-before-claim.test.ts`,
  uncertain: `${CORE}/uncertain.test.ts`,
  delivery: `${CORE}/delivery.test.ts`,
  retryAfter: `${CORE}/retry-after.test.ts`,
  statsReading: `${CORE}/stats-reading.test.ts`,
  evidence: `${CORE}/breaker-evidence.test.ts`,
  record: `${CORE}/ledger-record.test.ts`,
  planRedrive: 'test/unit/plan-redrive.test.ts',
  redriveCount: 'test/unit/plan-redrive-count.test.ts',
  canary: 'test/unit/redrive-canary.test.ts',
  connectionFault: 'test/unit/adapters/connection-fault.test.ts',
  rowCodec: 'test/unit/dynamodb/row-codec.test.ts',
  consumerConfig: 'test/unit/config/consumer-config.test.ts',
  ledger: 'test/integration/ledger/on-dynalite.test.ts',
  httpSender: 'test/integration/http-sender.test.ts',
  httpChannel: 'test/integration/http-sender-channel.test.ts',
  contract: 'test/integration/providers/provider-contract.test.ts',
  queue: 'test/integration/infrai-queue.test.ts',
  queueTrouble: 'test/integration/infrai-queue-trouble.test.ts',
  redriveTrouble: 'test/integration/redrive/trouble.test.ts',
  redriveOverlap: 'test/integration/redrive/overlap-and-death.test.ts',
  redriveOutage: 'test/integration/redrive/outage.test.ts',
  planEqualsResult: 'test/integration/redrive/plan-equals-result.test.ts',
  breakerWatch: 'test/unit/app/breaker-watch.test.ts',
  lostClaim: 'test/unit/app/lost-claim.test.ts',
  resendByPolicy: 'test/property/resend-by-policy.test.ts',
  breakerPause: 'test/integration/breaker-pause.test.ts',
} as const;
