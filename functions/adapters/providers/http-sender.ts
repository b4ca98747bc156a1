import { isHeaderName } from '#adapters/http/request-parts.ts';
import {
  createProfileSender,
  type SenderDependencies,
} from '#adapters/providers/profile-sender.ts';
import type { StatusMeaning } from '#adapters/providers/provider-profile.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import type { Reminder } from '#core/reminder.ts';
import type { BlindPolicy, ProviderClass } from '#core/send-result.ts';
import type { Sender } from '#ports';

/** A channel whose provider is any service that takes a JSON POST: push services, own services. */
export type HttpChannel = {
  readonly provider: 'http';
  readonly url: string;
  readonly class: ProviderClass;
  /** `dedupes` only: how long the service remembers a key. */
  readonly windowSeconds?: number | undefined;
  /** Default `Idempotency-Key`. */
  readonly idempotencyHeader?: string | undefined;
  /** Default `hex`. */
  readonly keyForm?: 'hex' | 'uuid' | undefined;
  /** Dot path of the receipt in the answer; default `id`. */
  readonly receiptPath?: string | undefined;
  /** Default true: a 2xx without a receipt is unknown. */
  readonly givesReceipt?: boolean | undefined;
  /** `queryable` only: the address to ask, `{key}` standing for the send key. */
  readonly queryUrl?: string | undefined;
  /** Default: `receiptPath`. Through a list (`items.0.id`), an empty list proves absence. */
  readonly queryReceiptPath?: string | undefined;
  /** The secret's name for port Secrets, sent as Bearer; absent when the service needs none. */
  readonly secretRef?: string | undefined;
  readonly sendTimeoutMs: number;
  readonly commitSeconds: number;
  readonly blindPolicy: BlindPolicy;
  /** Statuses that this service means otherwise. */
  readonly statuses?: Readonly<Record<string, StatusMeaning>> | undefined;
};

/**
 * The generic HTTP sender.
 * Request: `POST url`, the send key in the idempotency header, and as JSON `user_id`,
 * `reminder_id`, `scheduled_at` (UTC), `channel`, and where given `order_id`, `version`, `data`.
 * @throws ConfigError when the channel cannot work, whatever the reminder
 */
export function createHttpSender(channel: HttpChannel, dependencies: SenderDependencies): Sender {
  const faults = faultsOf(channel);
  if (faults.length > 0) throw new ConfigError(faults);
  const receiptPath = channel.receiptPath ?? 'id';
  const { queryUrl } = channel;
  return createProfileSender(
    {
      profile: {
        provider: channel.provider,
        providerClass: channel.class,
        windowSeconds: channel.class === 'dedupes' ? (channel.windowSeconds ?? null) : null,
        commitSeconds: channel.commitSeconds,
        key: {
          form: channel.keyForm ?? 'hex',
          place: 'header',
          name: channel.idempotencyHeader ?? 'Idempotency-Key',
        },
        receipt: { place: 'body', path: receiptPath, required: channel.givesReceipt ?? true },
        statuses: channel.statuses ?? {},
      },
      url: channel.url,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      bodyOf,
      ...(channel.secretRef !== undefined && { secretRef: channel.secretRef }),
      ...(channel.class === 'queryable' &&
        queryUrl !== undefined && {
          query: {
            urlOf: (key: string) => queryUrl.replaceAll('{key}', encodeURIComponent(key)),
            receipt: { place: 'body', path: channel.queryReceiptPath ?? receiptPath },
          },
        }),
    },
    dependencies,
  );
}

function bodyOf(reminder: Reminder): Readonly<Record<string, unknown>> {
  return {
    user_id: reminder.userId,
    reminder_id: reminder.reminderId,
    scheduled_at: reminder.scheduledAt.canonical,
    order_id: reminder.orderId,
    channel: reminder.channel,
    version: reminder.version,
    data: reminder.data,
  };
}

/** Faults that would otherwise be blamed on every single reminder. */
function faultsOf(channel: HttpChannel): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (!URL.canParse(channel.url)) {
    faults.push({
      setting: 'url',
      problem: 'is no absolute URL; give one such as https://host/path',
    });
  }
  if (!isHeaderName(channel.idempotencyHeader ?? 'Idempotency-Key')) {
    faults.push({
      setting: 'idempotencyHeader',
      problem: 'is no header name; try Idempotency-Key',
    });
  }
  if (channel.class === 'queryable' && !channel.queryUrl?.includes('{key}')) {
    faults.push({
      setting: 'queryUrl',
      problem: 'class queryable needs an address with {key} in it; add one, or declare class blind',
    });
  }
  return faults;
}
