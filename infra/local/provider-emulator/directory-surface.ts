import { jsonAnswer } from '../emulator-server.ts';
import { jsonRefusals } from './generic-surface.ts';
import type { ProviderSurface } from './provider-surface.ts';
import type { UserDirectory } from './user-directory.ts';

/** The directory's route in the fault plan. */
export const DIRECTORY_ROUTE = 'directory';

/**
 * `GET /directory/:userId` → 200 `{address}` or 404; `?channel=sms` asks for a phone number. No
 * authorisation is asked. A directory that is down: any behaviour that accepts nothing.
 */
export function directorySurface(directory: UserDirectory): ProviderSurface {
  const nothing = (): never => {
    throw new TypeError('a directory accepts no message');
  };
  return {
    name: DIRECTORY_ROUTE,
    providerClass: 'blind',
    windowMs: null,
    authorised: () => true,
    operations: [
      {
        kind: 'ask',
        method: 'GET',
        path: '/directory/:userId',
        route: DIRECTORY_ROUTE,
        answer: ({ params, query }) => {
          const channel = query.get('channel') ?? '';
          const address = directory.find(params['userId'] ?? '', channel);
          if (address === undefined) return jsonRefusals.refused(404, 'unknown_user');
          return jsonAnswer(200, { address });
        },
      },
    ],
    answers: { ...jsonRefusals, accepted: nothing, noReceipt: () => jsonAnswer(200, {}) },
  };
}
