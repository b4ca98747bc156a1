import { App } from 'aws-cdk-lib';
import { checkBestPractices, install } from '#infra/stacks/installation.ts';
import { type StageSettings, stageSettings } from '#infra/stages.ts';

/** The committed app with some settings of a stage changed, as an edit of infra/stages.ts would. */
const changes = JSON.parse(process.env['CHANGED_SETTINGS'] ?? '{}') as Partial<StageSettings>;
const app = new App();
install(app, { ...stageSettings('dev'), ...changes });
checkBestPractices(app);
app.synth();
