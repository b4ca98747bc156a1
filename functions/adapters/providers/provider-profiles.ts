import { AWS_SMS_PROFILE } from '#adapters/providers/aws-sms-sender.ts';
import { FCM_PROFILE } from '#adapters/providers/fcm-sender.ts';
import { HTTP_PROFILE } from '#adapters/providers/http-sender.ts';
import { INFRAI_EMAIL_PROFILE, INFRAI_SMS_PROFILE } from '#adapters/providers/infrai-sender.ts';
import { ONESIGNAL_PROFILE } from '#adapters/providers/onesignal-sender.ts';
import type { ProviderProfile } from '#adapters/providers/provider-profile.ts';
import { RESEND_PROFILE } from '#adapters/providers/resend-sender.ts';
import { SES_PROFILE } from '#adapters/providers/ses-sender.ts';
import { TWILIO_PROFILE } from '#adapters/providers/twilio-sender.ts';
import type { ProviderName } from '#config/channels.ts';

/** Every provider's profile: the source of the published table and of the contract suite. */
export const PROVIDER_PROFILES: Readonly<Record<ProviderName, ProviderProfile>> = {
  http: HTTP_PROFILE,
  'infrai-email': INFRAI_EMAIL_PROFILE,
  'infrai-sms': INFRAI_SMS_PROFILE,
  resend: RESEND_PROFILE,
  onesignal: ONESIGNAL_PROFILE,
  ses: SES_PROFILE,
  'aws-sms': AWS_SMS_PROFILE,
  twilio: TWILIO_PROFILE,
  fcm: FCM_PROFILE,
};
