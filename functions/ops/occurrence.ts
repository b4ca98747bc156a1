import type { SharedConfig } from '#config/shared-config.ts';
import type { SendKey } from '#core/brand.ts';
import { epochFor, type KeyEpoch } from '#core/key-epoch.ts';
import { parseReminder, type Reminder } from '#core/reminder.ts';
import { type Identity, identify } from '#core/send-key.ts';
import { EXIT } from '#functions/ops/exit-codes.ts';
import { OpsError } from '#functions/ops/ops-error.ts';

/** One reminder occurrence as an operator names it: by its own fields, or by its send key. */
export type OccurrenceFlags = {
  readonly key?: string;
  readonly user?: string;
  readonly reminder?: string;
  readonly at?: string;
  readonly order?: string;
  readonly channel?: string;
};

export type Occurrence =
  | { readonly kind: 'key'; readonly sendKey: SendKey }
  | { readonly kind: 'reminder'; readonly reminder: Reminder; readonly identity: Identity };

/** Whether the flags can name one; throws OpsError USAGE otherwise, before any call is made. */
export function checkOccurrence({ key, user, reminder, at }: OccurrenceFlags): void {
  const named = [user, reminder, at].filter((flag) => flag !== undefined).length;
  if (key !== undefined && named > 0) {
    throw usage('--key and --user, --reminder, --at exclude each other; give one or the other');
  }
  if (key === undefined && named < 3) {
    throw usage('give --user, --reminder and --at together, or --key');
  }
  if (key !== undefined && !/^k1_[0-9a-f]{64}$/.test(key)) {
    throw usage('--key is no send key; allowed: k1_ and 64 hex digits, as in log lines');
  }
}

/** The send key of the flags; the key is computed here, no id leaves this process. */
export function readOccurrence(
  flags: OccurrenceFlags,
  config: Pick<SharedConfig, 'defaultChannel'>,
  epochs: readonly KeyEpoch[],
): Occurrence {
  checkOccurrence(flags);
  if (flags.key !== undefined) return { kind: 'key', sendKey: flags.key as SendKey };
  const payload = {
    user_id: flags.user,
    reminder_id: flags.reminder,
    scheduled_at: flags.at,
    ...(flags.order !== undefined && { order_id: flags.order }),
    ...(flags.channel !== undefined && { channel: flags.channel }),
  };
  const parsed = parseReminder(payload, config.defaultChannel);
  if (!parsed.ok) throw usage(`this names no reminder: ${parsed.reason}`);
  const { reminder } = parsed;
  const identity = identify(reminder, epochFor(reminder.scheduledAt, epochs));
  return { kind: 'reminder', reminder, identity };
}

export function sendKeyOf(occurrence: Occurrence): SendKey {
  return occurrence.kind === 'key' ? occurrence.sendKey : occurrence.identity.sendKey;
}

function usage(message: string): OpsError {
  return new OpsError(EXIT.usage, 'USAGE', message);
}
