import * as z from 'zod/mini';
import { figure } from '#config/faults.ts';
import { channelCommon, providerUrl, secretRef, vendorId } from './channel-common.ts';
import { pushContent } from './content.ts';
import { addressRecipient } from './recipient.ts';

/** Push by Firebase Cloud Messaging, HTTP v1. */
export const fcmChannel = z.strictObject({
  provider: z.literal('fcm'),
  ...channelCommon,
  /** FCM's guidance is to wait at least 10 s: a shorter bound aborts sends that succeed. */
  sendTimeoutMs: z._default(figure('milliseconds', 10_000, 120_000), 15_000),
  /** The JSON key of a service account. */
  secretRef,
  projectId: vendorId('a Firebase project id', /^[a-z0-9][a-z0-9:.-]{3,62}$/),
  baseUrl: z._default(providerUrl, 'https://fcm.googleapis.com'),
  tokenUrl: z._default(providerUrl, 'https://oauth2.googleapis.com/token'),
  content: pushContent,
  /** Its address is a device's registration token. */
  recipient: addressRecipient,
});
export type FcmChannelConfig = z.output<typeof fcmChannel>;
