import { isHeaderName } from '#adapters/http/request-parts.ts';
import { readSecret, secretAuthorizer } from '#adapters/providers/authorization.ts';
import type { ChannelSettings } from '#adapters/providers/channel-settings.ts';
import type { Compose } from '#adapters/providers/composition.ts';
import {
  createHttpExchange,
  createHttpQuery,
  type HttpExchangeOptions,
} from '#adapters/providers/http-exchange.ts';
import {
  createProfileSender,
  type SenderDependencies,
} from '#adapters/providers/profile-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { createRecipientSource } from '#adapters/providers/recipient.ts';
import { webhookSignature } from '#adapters/providers/webhook-signature.ts';
import type { HttpChannelConfig } from '#config/channels/http-channel.ts';
import { ConfigError, type ConfigFault } from '#core/errors.ts';
import type { Clock, Secrets, Sender } from '#ports';

/**
 * A channel whose provider is any service that takes a JSON POST: push services, own services,
 * customers' webhooks. Everything but the address has the configuration's default.
 */
export type HttpChannel = ChannelSettings<HttpChannelConfig, 'url' | 'class'>;

/**
 * A service that we know nothing of: blind until its channel declares more. Header
 * `Idempotency-Key` by the IETF draft "The Idempotency-Key HTTP Header Field".
 */
export const HTTP_PROFILE: ProviderProfile = {
  provider: 'http',
  providerClass: 'blind',
  windowSeconds: null,
  commitSeconds: 5,
  key: { form: 'hex', place: 'header', name: 'Idempotency-Key' },
  receipt: { place: 'body', path: 'id', required: true },
  statuses: {},
  declaredByChannel: true,
  lookUp: null,
};

/**
 * The generic HTTP sender.
 * Request: `POST url`, the send key in the idempotency header, and as JSON the channel's own
 * `body`, or `user_id`, `reminder_id`, `scheduled_at` (UTC), `channel`, and where given `order_id`,
 * `version`, `data`, and `recipient` where one is looked up.
 * @throws ConfigError when the channel cannot work, whatever the reminder
 */
export function createHttpSender(channel: HttpChannel, dependencies: SenderDependencies): Sender {
  const faults = faultsOf(channel);
  if (faults.length > 0) throw new ConfigError(faults);
  const profile = profileOf(channel);
  const { secrets, clock } = dependencies;
  const authorizer = secretAuthorizer(secrets, channel.secretRef);
  const recipient = channel.recipient ?? { from: 'provider' };
  const { signing, queryUrl } = channel;
  const path = channel.queryReceiptPath ?? profile.receipt.path;
  return createProfileSender(
    {
      profile,
      sendTimeoutMs: channel.sendTimeoutMs,
      blindPolicy: channel.blindPolicy,
      compose: channel.body === undefined ? fixedBody(recipient.from) : ownBody(channel.body),
      recipientOf: createRecipientSource(recipient, 'any', dependencies),
      exchange: createHttpExchange(
        {
          url: channel.url,
          key: profile.key,
          sendTimeoutMs: channel.sendTimeoutMs,
          authorizer,
          ...(signing !== undefined && { sign: signer(signing, secrets, clock) }),
        },
        dependencies,
      ),
      ...(channel.class === 'queryable' &&
        queryUrl !== undefined && {
          query: createHttpQuery(
            {
              urlOf: (key) => queryUrl.replaceAll('{key}', encodeURIComponent(key)),
              key: profile.key,
              receipt: { place: 'body', path },
              timeoutMs: channel.sendTimeoutMs,
              authorizer,
            },
            dependencies,
          ),
        }),
    },
    dependencies,
  );
}

function profileOf(channel: HttpChannel): ProviderProfile {
  const { key, receipt } = HTTP_PROFILE;
  return {
    ...HTTP_PROFILE,
    providerClass: channel.class,
    windowSeconds: channel.class === 'dedupes' ? (channel.windowSeconds ?? null) : null,
    commitSeconds: channel.commitSeconds,
    key: {
      ...key,
      form: channel.keyForm ?? key.form,
      name: channel.idempotencyHeader ?? key.name,
    },
    receipt: {
      ...receipt,
      path: channel.receiptPath ?? receipt.path,
      required: channel.givesReceipt ?? receipt.required,
    },
    statuses: channel.statuses ?? {},
  };
}

/** The reminder as it is; the receiver makes words of it. */
function fixedBody(from: 'provider' | 'directory' | 'payload'): Compose {
  return (_write, reminder, recipient) => ({
    user_id: reminder.userId,
    reminder_id: reminder.reminderId,
    scheduled_at: reminder.scheduledAt.canonical,
    order_id: reminder.orderId,
    channel: reminder.channel,
    version: reminder.version,
    data: reminder.data,
    ...(from !== 'provider' && { recipient }),
  });
}

function ownBody(template: Readonly<Record<string, unknown>>): Compose {
  return (write) => {
    const filled = (value: unknown): unknown => {
      if (typeof value === 'string') return write(value, 'text');
      if (Array.isArray(value)) return value.map(filled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, filled(member)]),
      );
    };
    return filled(template) as Readonly<Record<string, unknown>>;
  };
}

function signer(
  refs: { readonly secretRef: string; readonly previousSecretRef?: string | undefined },
  secrets: Secrets,
  clock: Clock,
): NonNullable<HttpExchangeOptions['sign']> {
  const references = [refs.secretRef, refs.previousSecretRef].filter((ref) => ref !== undefined);
  return async (request, body) => {
    const readings = await Promise.all(references.map((ref) => readSecret(secrets, ref)));
    const values: string[] = [];
    for (const reading of readings) {
      if (reading.kind === 'channel-stopped') {
        return { kind: 'no-call', result: { kind: 'channel-stopped', code: reading.code } };
      }
      if (reading.kind === 'unavailable') {
        return { kind: 'no-call', result: { kind: 'deferred', code: reading.code } };
      }
      values.push(reading.secret);
    }
    return {
      kind: 'headers',
      headers: webhookSignature(request.sendKey, clock.now(), body, values),
    };
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
