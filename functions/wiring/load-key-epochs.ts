import type { KeyEpochsConfig } from '#config/key-epochs.ts';
import { RemindOnceError } from '#core/errors.ts';
import { type KeyEpoch, MIN_SECRET_LENGTH } from '#core/key-epoch.ts';
import type { Secrets } from '#ports';

/** The epochs with their secrets. A worker that lacks one must not start: its keys would differ. */
export async function loadKeyEpochs(
  config: KeyEpochsConfig,
  secrets: Secrets,
): Promise<readonly KeyEpoch[]> {
  return Promise.all(
    config.map(async ({ id, keyFields, from, secretRef }) => {
      const secret = await secrets.get(secretRef);
      if (secret.length < MIN_SECRET_LENGTH) {
        throw new RemindOnceError(
          'KEY_SECRET_TOO_SHORT',
          `the secret of key epoch ${id} has ${secret.length} characters; allowed: at least ${MIN_SECRET_LENGTH}; put back the secret that this epoch began with`,
        );
      }
      return { id, secret, keyFields, from };
    }),
  );
}
