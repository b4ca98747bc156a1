import type { ProviderSurface } from '../provider-surface.ts';
import { awsSmsSurface, sesSurface } from './aws-surfaces.ts';
import { fcmSurface } from './fcm-surface.ts';
import { infraiEmailSurface, infraiSmsSurface } from './infrai-surface.ts';
import { oneSignalSurface } from './onesignal-surface.ts';
import { resendSurface } from './resend-surface.ts';
import { twilioSurface } from './twilio-surface.ts';

/** Every vendor that the product has a sender for, in the vendor's own wire form. */
export const VENDOR_SURFACES: readonly ProviderSurface[] = [
  infraiEmailSurface,
  infraiSmsSurface,
  resendSurface,
  oneSignalSurface,
  sesSurface,
  awsSmsSurface,
  twilioSurface,
  fcmSurface,
];
