import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ReminderLedger } from '#infra/constructs/reminder-ledger.ts';
import type { StageSettings } from '#infra/stages.ts';

/** What outlives every release. Protected against deletion as a whole, and resource by resource. */
export class LedgerStack extends Stack {
  readonly ledger: ReminderLedger;

  constructor(scope: Construct, id: string, settings: StageSettings, props: StackProps) {
    const disposable = settings.disposableLedger === true;
    super(scope, id, { ...props, terminationProtection: !disposable });
    this.ledger = new ReminderLedger(this, 'Ledger', {
      ...(settings.keyEpochs && { keyEpochs: settings.keyEpochs }),
      ...(settings.apiKeySecret && { apiKeySecret: settings.apiKeySecret }),
      ...(settings.adoptTable !== undefined && { adoptTable: settings.adoptTable }),
      channels: settings.channels,
      disposable,
    });
  }
}
