import { createInfraiAccount } from '#adapters/infrai/infrai-account.ts';
import { createInfraiDiscovery } from '#adapters/infrai/infrai-discovery.ts';
import { loadConsumerConfig } from '#config/consumer-config.ts';
import { loadRedriveConfig } from '#config/redrive-config.ts';
import { loadStatsConfig } from '#config/stats-config.ts';
import { assertLedgerTable, openQueueDesk } from '#functions/ops/desk.ts';
import { backendChecks } from '#functions/ops/doctor/backend-checks.ts';
import { type Check, type CheckLevel, check } from '#functions/ops/doctor/check.ts';
import { clockCheck } from '#functions/ops/doctor/clock-check.ts';
import {
  channelChecks,
  epochCheck,
  nestedTimesCheck,
  secretChecks,
  settingsCheck,
} from '#functions/ops/doctor/configuration-checks.ts';
import { liveSchemaChecks } from '#functions/ops/doctor/live-schema.ts';
import { providerChecks } from '#functions/ops/doctor/provider-checks.ts';
import { WHY } from '#functions/ops/doctor/why.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { oneLine } from '#functions/ops/ops-error.ts';
import type { Output } from '#functions/ops/output.ts';
import type { Ran, Session } from '#functions/ops/session.ts';
import { consumerConfig, statsConfig, type Target } from '#functions/ops/target/target.ts';
import { openLedgerSide } from '#wiring/backends.ts';
import { openSenders } from '#wiring/open-senders.ts';

/** Checks a configuration before it is trusted. Reads only; nothing is sent and nothing written. */
export async function doctor(session: Session): Promise<Ran> {
  const target = await session.target();
  const { environments } = target;
  const settings = [
    settingsCheck('consumer', loadConsumerConfig)(environments.consumer),
    settingsCheck('redrive', loadRedriveConfig)(environments.redrive),
    settingsCheck('stats', loadStatsConfig)(environments.stats),
  ];
  const broken = settings.some(({ level }) => level === 'fail');
  const checks = broken
    ? settings
    : [...settings, ...(await liveChecks(target)), ...(await target.platformChecks())];
  const count = (level: CheckLevel) => checks.filter((one) => one.level === level).length;
  const counts = { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') };
  return {
    exit: counts.fail > 0 ? EXIT.attention : EXIT.ok,
    data: { counts, checks },
    show: (out) => show(out, checks, counts, broken),
  };
}

async function liveChecks(target: Target): Promise<readonly Check[]> {
  const config = consumerConfig(target);
  const { channels, delivery, ledgerTable } = config;
  const { secrets, clock, random } = target;
  const groups = await Promise.all([
    guarded('channel-settings', async () => channelChecks(config)),
    guarded('nested-times', async () => [nestedTimesCheck(config)]),
    guarded('secrets', () => secretChecks(config, secrets)),
    guarded('key-epochs', async () => [epochCheck(config, clock.now())]),
    guarded('table', async () => [await tableCheck(ledgerTable)]),
    guarded('api-key', async () => {
      const { transport, queue, deadLetters, http } = await openQueueDesk(target);
      const { controls } = openLedgerSide(config, { concurrency: 2, ledgerCallMs: 5000 }, target);
      const account = createInfraiAccount(transport);
      const balanceFloorUsd = statsConfig(target).stats.balanceUsd;
      const parts = await Promise.all([
        backendChecks({ account, queue, deadLetters, controls, balanceFloorUsd }),
        liveSchemaChecks(createInfraiDiscovery(transport), config.dialect),
        clockCheck(http, config.infraiBaseUrl, delivery.skewSeconds).then((one) => [one]),
        guarded('provider', async () =>
          providerChecks(channels, await openSenders(channels, { http, secrets, clock }), {
            ...{ http, clock, random },
            longestWaitSeconds: Math.max(...delivery.ladderSeconds),
          }),
        ),
      ]);
      return parts.flat();
    }),
  ]);
  return groups.flat();
}

/** What throws is a failed check; the others go on. */
async function guarded(
  name: keyof typeof WHY,
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    const { message } = oneLine(error);
    return [check(name, WHY[name], { level: 'fail', what: message, mend: 'mend this first' })];
  }
}

async function tableCheck(tableName: string): Promise<Check> {
  await assertLedgerTable(tableName);
  return check('table', WHY.table, { level: 'ok', what: `${tableName} is a ledger of ours` });
}

const LABEL = { ok: 'ok', warn: 'WARN', fail: 'FAIL', skip: 'skip' } as const;

function show(
  out: Output,
  checks: readonly Check[],
  counts: Readonly<Record<CheckLevel, number>>,
  broken: boolean,
): void {
  const { green, yellow, red, dim } = out.paint;
  const paint = { ok: green, warn: yellow, fail: red, skip: dim };
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, level, what, why, mend } of checks) {
    out.line(`${paint[level](LABEL[level].padEnd(4))} ${name.padEnd(width)}  ${what}`);
    if (level !== 'fail' && level !== 'warn') continue;
    out.line(`     why it matters: ${why}`);
    if (mend !== '') out.line(`     how to mend it: ${mend}`);
  }
  if (broken) out.line('The other checks need settings that are valid; they were not made.');
  out.heading(
    `${counts.fail} failed, ${counts.warn} warnings, ${counts.ok} ok, ${counts.skip} skipped`,
  );
}
