import { App } from 'aws-cdk-lib';
import { ConfigError } from '#core/errors.ts';
import { checkBestPractices, install } from '#infra/stacks/installation.ts';
import { stageSettings } from '#infra/stages.ts';

/** CDK entry: `npx cdk <command> -c stage=<name>`. */
try {
  const app = new App();
  install(app, stageSettings(app.node.tryGetContext('stage')));
  checkBestPractices(app);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
