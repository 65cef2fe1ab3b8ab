import type { Config } from '../../../platform/config.ts';
import { isSameSecret } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';

type Keys = Pick<Config, 'CRM_API_KEY' | 'CRM_API_KEY_PREVIOUS'>;

/** Throws 401 API_KEY_INVALID for anything but the key of the CRM, or the one before while it is replaced; for everything where it has none. */
export function createKeyCheck({ CRM_API_KEY: key, CRM_API_KEY_PREVIOUS: previous }: Keys) {
  const inForce = key === undefined ? [] : [key, ...(previous === undefined ? [] : [previous])];
  return async (given: string | undefined): Promise<void> => {
    // All are compared, whatever the first comparison says.
    const same = inForce.map((one) => isSameSecret(given ?? '', one));
    if (given === undefined || !same.includes(true)) throw commonErrors.API_KEY_INVALID();
  };
}
