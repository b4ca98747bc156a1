import type { ConfigFault } from '#core/errors.ts';
import { FUNCTION_ROLES } from '#infra/constructs/defaults.ts';
import { channelSources, type SecretSource } from '#infra/constructs/secret-sources.ts';
import type { PipelineSettings } from '#infra/constructs/settings.ts';

/** Retentions that CloudWatch Logs knows. */
const LOG_RETENTIONS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653,
];

/** Alarms look at two ticks a period, and a period of CloudWatch is a day at most. */
const LONGEST_EVERY_MINUTES = 720;

/** Limits that only infra has. */
export function ownFaults(settings: PipelineSettings): readonly ConfigFault[] {
  return [
    ...scheduleFaults(settings),
    ...sizeFaults(settings),
    ...alarmFaults(settings),
    ...secretFaults(settings),
    ...urlFaults(settings),
  ];
}

function scheduleFaults({ every = {} }: PipelineSettings): readonly ConfigFault[] {
  return FUNCTION_ROLES.flatMap((role) => {
    const minutes = every[role];
    if (minutes === undefined || minutes === 'off' || isWhole(minutes, 1, LONGEST_EVERY_MINUTES))
      return [];
    return fault(
      `every.${role}`,
      minutes,
      `'off' or whole minutes from 1 to ${LONGEST_EVERY_MINUTES}`,
    );
  });
}

function sizeFaults(settings: PipelineSettings): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  for (const role of FUNCTION_ROLES) {
    const mb = settings.functions?.[role]?.memoryMb;
    if (mb !== undefined && !isWhole(mb, 128, 3008)) {
      faults.push(...fault(`functions.${role}.memoryMb`, mb, 'whole megabytes from 128 to 3008'));
    }
  }
  const { consumerConcurrency, logRetentionDays } = settings;
  if (consumerConcurrency !== undefined && !isWhole(consumerConcurrency, 1, 1000)) {
    faults.push(
      ...fault('consumerConcurrency', consumerConcurrency, 'a whole number from 1 to 1000'),
    );
  }
  if (logRetentionDays !== undefined && !LOG_RETENTIONS.includes(logRetentionDays)) {
    faults.push(...fault('logRetentionDays', logRetentionDays, LOG_RETENTIONS.join(', ')));
  }
  return faults;
}

function alarmFaults({ alarms = {} }: PipelineSettings): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  const { emails = [] } = alarms;
  for (const [index, email] of emails.entries()) {
    if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) continue;
    faults.push({ setting: `alarms.emails.${index}`, problem: 'is not an e-mail address' });
  }
  return faults;
}

function secretFaults(settings: PipelineSettings): readonly ConfigFault[] {
  return Object.entries(settings.channels)
    .flatMap(([channel, channelSettings]) => channelSources(channel, channelSettings))
    .flatMap(({ name, source }) => secretSourceFaults(`channels.${name}.secretRef`, source));
}

/** A value where a source belongs must never be repeated in a message. */
export function secretSourceFaults(
  setting: string,
  source: SecretSource | undefined,
): readonly ConfigFault[] {
  if (source === undefined || source === 'create') return [];
  const { arn, name } = source as { readonly arn?: unknown; readonly name?: unknown };
  if (typeof arn === 'string' && name === undefined && COMPLETE_ARN.test(arn)) return [];
  if (typeof name === 'string' && arn === undefined && isSecretName(name)) return [];
  return [
    {
      setting,
      problem:
        "is no source of a secret; allowed: 'create', { arn } with the complete ARN, or { name }; put the value itself into Secrets Manager",
    },
  ];
}

const COMPLETE_ARN = /^arn:aws[\w-]*:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/;

/** Keys of known vendors look like names; taking one for a name would print it in the template. */
function isSecretName(name: string): boolean {
  return /^[\w/+=.@-]{1,512}$/.test(name) && !/^(ifr_|sk_|re_|whsec_|xox|AKIA)/.test(name);
}

function urlFaults(settings: PipelineSettings): readonly ConfigFault[] {
  const urls: [string, unknown][] = [['infraiBaseUrl', settings.infraiBaseUrl]];
  for (const [name, channel] of Object.entries(settings.channels)) {
    for (const [key, value] of Object.entries(channel)) {
      if (/url$/i.test(key)) urls.push([`channels.${name}.${key}`, value]);
    }
  }
  return urls.flatMap(([setting, value]) => {
    const url = typeof value === 'string' ? URL.parse(value) : null;
    if (url === null || (url.username === '' && url.password === '')) return [];
    return [{ setting, problem: 'holds a user or password; name a secret of the channel instead' }];
  });
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function fault(setting: string, seen: unknown, allowed: string): readonly ConfigFault[] {
  return [{ setting, problem: `is ${JSON.stringify(seen) ?? 'missing'}; allowed: ${allowed}` }];
}
