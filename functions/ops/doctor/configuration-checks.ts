import { channelSecretRefs, channelWarnings } from '#config/channel-facts.ts';
import type { ConsumerConfig } from '#config/consumer-config.ts';
import type { Environment } from '#config/environment.ts';
import { worstDeliveryMs } from '#config/nested-times.ts';
import type { EpochMs } from '#core/brand.ts';
import { oneLine } from '#functions/ops/ops-error.ts';
import type { FunctionRole } from '#functions/ops/target/target.ts';
import type { Secrets } from '#ports';
import { loadKeyEpochs } from '#wiring/load-key-epochs.ts';
import { type Check, check } from './check.ts';
import { WHY } from './why.ts';

/** Whether a function would start with the settings that it has. */
export function settingsCheck(role: FunctionRole, load: (env: Environment) => unknown) {
  return (env: Environment): Check => {
    try {
      load(env);
      return check(`configuration-${role}`, WHY.configuration, {
        level: 'ok',
        what: `the ${role} function accepts its settings`,
      });
    } catch (error) {
      return check(`configuration-${role}`, WHY.configuration, {
        level: 'fail',
        what: oneLine(error).message,
        mend: 'mend the settings in infra/stages.ts and deploy again',
      });
    }
  };
}

export function channelChecks({ channels }: ConsumerConfig): readonly Check[] {
  const warnings = channelWarnings(channels);
  if (warnings.length === 0) {
    const what = 'no channel trades a guarantee away';
    return [check('channel-settings', WHY['channel-settings'], { level: 'ok', what })];
  }
  return warnings.map(({ setting, problem }) =>
    check('channel-settings', WHY['channel-settings'], {
      level: 'warn',
      what: `${setting} ${problem}`,
      mend: 'make sure that this is meant',
    }),
  );
}

/** The figures whose order keeps a second worker from sending: parsing has already checked it. */
export function nestedTimesCheck({ channels, delivery, drain }: ConsumerConfig): Check {
  const sends = Object.values(channels).map(
    ({ sendTimeoutMs, commitSeconds }) => sendTimeoutMs / 1000 + commitSeconds,
  );
  const { skewSeconds, leaseSeconds, ttlDays, useBySeconds } = delivery;
  const worst = Math.ceil(worstDeliveryMs(channels, drain) / 1000);
  return check('nested-times', WHY['nested-times'], {
    level: 'ok',
    what: `send and commit ${Math.max(...sends)} s + skew ${skewSeconds} s < lease ${leaseSeconds} s < visibility ${drain.visibilityTimeoutSeconds} s; one delivery ${worst} s < run ${drain.runBudgetSeconds} s; TTL ${ttlDays} d > use-by ${Math.ceil(useBySeconds / 86_400)} d + 37 d`,
  });
}

export async function secretChecks(
  { keyEpochs, channels, infraiApiKeyRef }: ConsumerConfig,
  secrets: Secrets,
): Promise<readonly Check[]> {
  const refs = new Set([infraiApiKeyRef, ...Object.values(channels).flatMap(channelSecretRefs)]);
  const readings = [...refs].map((ref) => () => secrets.get(ref));
  const faults: string[] = [];
  for (const read of [...readings, () => loadKeyEpochs(keyEpochs, secrets)]) {
    await read().catch((error: unknown) => faults.push(oneLine(error).message));
  }
  return [
    check(
      'secrets',
      WHY.secrets,
      faults.length === 0
        ? {
            level: 'ok',
            what: `all ${refs.size + keyEpochs.length} secrets can be read and are set`,
          }
        : {
            level: 'fail',
            what: faults.join('; '),
            mend: 'put the value in, or let your role read it',
          },
    ),
  ];
}

/** Warm functions keep their list for as long as they live; an hour covers every one of them. */
const NEAR_MS = 3_600_000;

export function epochCheck({ keyEpochs }: ConsumerConfig, now: EpochMs): Check {
  const near = keyEpochs.filter(
    ({ from }) => from !== null && from.epochMs > now && from.epochMs <= now + NEAR_MS,
  );
  const ids = keyEpochs.map(({ id }) => id).join(', ');
  return check(
    'key-epochs',
    WHY['key-epochs'],
    near.length === 0
      ? { level: 'ok', what: `epochs: ${ids}; none starts within the hour` }
      : {
          level: 'warn',
          what: `epoch ${near.map(({ id }) => id).join(', ')} starts within the hour`,
          mend: 'if it was added just now, move its "from" further ahead and deploy at once',
        },
  );
}
