import { type App, type Environment, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { DEFAULT_PIPELINE } from '#config/metrics.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import { DEFAULT_EPOCHS, ledgerFaults } from '#infra/constructs/reminder-ledger.ts';
import { settingsFaults } from '#infra/constructs/settings-faults.ts';
import { SINK_CHANNEL } from '#infra/constructs/test-sink.ts';
import { LedgerStack } from '#infra/stacks/ledger-stack.ts';
import { ServiceStack } from '#infra/stacks/service-stack.ts';
import type { StageSettings } from '#infra/stages.ts';

export type Installation = { readonly ledger: LedgerStack; readonly service: ServiceStack };

/**
 * The two stacks of one stage. Throws ConfigError with every fault of the settings at once, before
 * anything is made of them.
 */
export function install(app: App, settings: StageSettings): Installation {
  const {
    disposableLedger: _disposable,
    testSink = false,
    account,
    region,
    apiKeySecret,
    adoptTable,
    keyEpochs,
    ...pipeline
  } = settings;
  const faults: ConfigFault[] = [
    ...settingsFaults(pipeline, keyEpochs ?? DEFAULT_EPOCHS),
    ...ledgerFaults({
      ...(keyEpochs && { keyEpochs }),
      ...(apiKeySecret && { apiKeySecret }),
      ...(adoptTable !== undefined && { adoptTable }),
    }),
  ];
  if (testSink && SINK_CHANNEL in pipeline.channels) {
    const problem = 'is the name of the test sink; rename the channel or take testSink away';
    faults.push({ setting: `channels.${SINK_CHANNEL}`, problem });
  }
  if (faults.length > 0) throw new ConfigError(faults);
  const env = environment(account, region);
  const name = [settings.pipeline ?? DEFAULT_PIPELINE, settings.stage].join('-');
  const ledger = new LedgerStack(app, `${name}-ledger`, settings, {
    env,
    description: 'Remind Once: send ledger and secrets; must outlive every release',
  });
  const service = new ServiceStack(app, `${name}-service`, pipeline, {
    env,
    ledger: ledger.ledger,
    testSink,
    description: 'Remind Once: functions, schedules, alarms',
  });
  for (const stack of [ledger, service]) Tags.of(stack).add('remind-once:stage', settings.stage);
  return { ledger, service };
}

/** Fails the synthesis on any finding of cdk-nag that no construct acknowledges with a reason. */
export function checkBestPractices(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

/** Settings first, then where the deployment's credentials point, else wherever it is deployed. */
function environment(
  account = process.env['CDK_DEFAULT_ACCOUNT'],
  region = process.env['CDK_DEFAULT_REGION'],
): Environment {
  return { ...(account && { account }), ...(region && { region }) };
}
