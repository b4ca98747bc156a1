import { channelSettings } from './channel-settings.ts';
import type { ContestantSettings } from './contestant.ts';

/** Where the secrets are: in the environment, or in Secrets Manager as in a deployment. */
export type SecretPlace = 'environment' | 'secrets-manager';

/** A deployed function's environment, endpoints aside. */
export function productEnvironment(
  settings: Pick<ContestantSettings, 'queueUrl' | 'providerUrl'>,
  concurrency: number,
  place: SecretPlace,
): Readonly<Record<string, string>> {
  const secretRef = (variable: string) =>
    place === 'environment'
      ? `env:${variable}`
      : `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${variable}`;
  const channel = {
    ...channelSettings(settings.providerUrl),
    secretRef: secretRef('PROVIDER_TOKEN'),
  };
  return {
    STAGE: 'bench',
    PIPELINE: 'remind-once',
    QUEUE_NAME: 'bench',
    INFRAI_BASE_URL: settings.queueUrl,
    INFRAI_API_KEY_SECRET: secretRef('INFRAI_API_KEY'),
    INFRAI_API_KEY: 'ifr_bench',
    INFRAI_DIALECT: '',
    LEDGER_TABLE: 'bench-ledger',
    KEY_EPOCHS: JSON.stringify([{ id: 'bench', secretRef: secretRef('SEND_KEY_SECRET') }]),
    SEND_KEY_SECRET: 'bench-only-secret-of-the-first-epoch',
    PROVIDER_TOKEN: 'bench-token',
    CHANNELS: JSON.stringify({ push: channel }),
    DEFAULT_CHANNEL: 'push',
    DELIVERY: '',
    DRAIN: JSON.stringify({ concurrency }),
    REDRIVE: '',
    STATS: '',
  };
}
