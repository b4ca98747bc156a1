import * as z from 'zod';
import { faultsBody } from '../control-route.ts';
import { providerBehaviourSchema } from './provider-behaviour.ts';

/** Body of `POST /_emulator/faults`. @param routes those of the running emulator */
export function providerFaultsBody(routes: readonly string[]) {
  return faultsBody(z.enum(routes), providerBehaviourSchema);
}

type ProviderFaults = z.input<ReturnType<typeof providerFaultsBody>>;

/** Named weather of the providers, the user directory included. */
export const PROVIDER_FAULT_MIXES = {
  calm: {},
  'rate-limited': {
    rules: [
      { route: '*', probability: 0.1, fault: { kind: 'defer' } },
      { route: '*', probability: 0.1, fault: { kind: 'defer', retryAfter: { seconds: 1 } } },
      {
        route: '*',
        probability: 0.1,
        fault: { kind: 'defer', status: 503, retryAfter: { dateInSeconds: 1 } },
      },
    ],
  },
  /** Everything that makes an outcome unknown, with some honest refusals between. */
  flaky: {
    rules: [
      { route: '*', probability: 0.05, fault: { kind: 'reset', accepted: true } },
      { route: '*', probability: 0.03, fault: { kind: 'reset', accepted: false } },
      { route: '*', probability: 0.03, fault: { kind: 'server-error', accepted: true } },
      { route: '*', probability: 0.03, fault: { kind: 'server-error', accepted: false } },
      { route: '*', probability: 0.02, fault: { kind: 'cut' } },
      { route: '*', probability: 0.02, fault: { kind: 'no-receipt' } },
      { route: '*', probability: 0.03, fault: { kind: 'slow-commit', commitMs: 500 } },
      { route: '*', probability: 0.04, fault: { kind: 'defer' } },
    ],
  },
  outage: {
    rules: [{ route: '*', probability: 1, fault: { kind: 'server-error', accepted: false } }],
  },
} as const satisfies Record<string, ProviderFaults>;
