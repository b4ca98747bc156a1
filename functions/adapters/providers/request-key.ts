import type { KeyRule } from '#adapters/providers/provider-profile.ts';
import type { SendRequest } from '#ports';

/** The name under which our key rides along with providers that only carry it. */
export const SEND_KEY_TAG = 'send_key';

/** The send key in the form that a provider takes. */
export function keyOf({ form }: Pick<KeyRule, 'form'>, request: SendRequest): string {
  switch (form) {
    case 'hex':
      return request.sendKey;
    case 'uuid':
      return request.sendUuid;
    case 'uuid4':
      return `${request.sendUuid.slice(0, 14)}4${request.sendUuid.slice(15)}`;
  }
}
