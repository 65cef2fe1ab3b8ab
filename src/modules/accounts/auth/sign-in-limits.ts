import { createHmac } from 'node:crypto';
import { networkOf } from '../../../platform/address.ts';
import type { Tx } from '../../../platform/db.ts';
import { deriveKey } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { UserRow } from '../../base/users/service.ts';
import { countTry, giveBack, takeTry } from './attempts.ts';
import type { AuthDeps } from './deps.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Device } from './sessions.ts';

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** A sign-in: the email as typed, its user if there is one, and the device. */
export type Attempt = { email: string; user: UserRow | undefined; device: Device };

/** Wrong passwords from one network within the window that look like a list of stolen ones being tried. */
const STUFFING = 50;

type Deps = AuthDeps & { devices: KnownDevices };

/**
 * Limits on failed sign-ins. They count what was typed, whether such an account exists or not, so that the answer reveals nothing about
 * it: per account and network, and per account from all networks. A device that has signed in before is counted separately, so strangers
 * cannot lock the owner out.
 */
export function createSignInLimits(deps: Deps) {
  const { db, config, devices } = deps;
  const secret = deriveKey(config.DATA_SECRET, 'sign-in limits');
  /** A pseudonym of an address, for the table of attempts and the log, where it must not be readable. */
  const nameOf = (email: string) =>
    createHmac('sha256', secret).update(email.toLowerCase()).digest('base64url').slice(0, 22);

  const keysOf = ({ email, user, device }: Attempt): Keys => {
    const account = `sign-in:${nameOf(email)}`;
    const known = user && devices.find(device.knownAs, user);
    const place = known ? `device:${known}` : networkOf(device.ip);
    return { pair: `${account}:${place}`, account: known ? undefined : account };
  };
  const halfway = async (tx: Tx, attempt: Attempt): Promise<void> => {
    const { account } = keysOf(attempt);
    if (account) await giveBack(tx, [account], 'one');
  };
  const refused = (reason: 'password' | 'limited', { email, device }: Attempt) => {
    deps.metrics.signInFailures.inc({ reason });
    deps.log.warn({ reason, account: nameOf(email), network: networkOf(device.ip) }, 'sign-in failed');
  };

  return {
    nameOf,

    /** Takes a try before the password is verified. Throws 429 RATE_LIMITED when none is left. */
    async take(attempt: Attempt): Promise<void> {
      const retryAfterSeconds = await takeTries(deps, keysOf(attempt));
      if (retryAfterSeconds === 0) return;
      refused('limited', attempt);
      throw commonErrors.RATE_LIMITED({ retryAfterSeconds });
    },

    /** Gives the try back: the password was not verified. */
    async untaken(attempt: Attempt): Promise<void> {
      const { pair, account } = keysOf(attempt);
      await giveBack(db, account ? [pair, account] : [pair], 'one');
    },

    /** Records that the password was wrong. */
    async failed(attempt: Attempt): Promise<void> {
      refused('password', attempt);
      await warnOfStuffing(deps, networkOf(attempt.device.ip));
    },

    /** The password was right and the second factor is required. Knowing the password alone must not use up the account's tries. */
    halfway,

    /** Gives the tries back when a session was opened: all of this device or network, and the account's one unless `halfway` did. */
    async succeeded(tx: Tx, attempt: Attempt, { wasHalfway }: { wasHalfway: boolean }): Promise<void> {
      await giveBack(tx, [keysOf(attempt).pair], 'all');
      if (!wasHalfway) await halfway(tx, attempt);
    },

    /** After a password reset the tries of others no longer count against the owner. */
    forgive: (tx: Tx, attempt: Attempt): Promise<void> =>
      giveBack(tx, [keysOf(attempt).pair, `sign-in:${nameOf(attempt.email)}`], 'all'),
  };
}

/** Limits of an attempt: of the account from this device or network, and of the account from everywhere unless the device is known. */
type Keys = { pair: string; account: string | undefined };

/** Returns the seconds to wait, or 0. */
async function takeTries({ db, config }: Deps, { pair, account }: Keys): Promise<number> {
  const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
  const wait = await takeTry(db, [{ key: pair, tries: config.SIGN_IN_TRIES, windowSeconds }]);
  // An exhausted network takes no more tries of the account: it alone cannot use up those of all others.
  if (wait > 0 || !account) return wait;
  return takeTry(db, [{ key: account, tries: config.SIGN_IN_TRIES_ACCOUNT, windowSeconds }]);
}

async function warnOfStuffing({ db, config, log }: Deps, network: string): Promise<void> {
  const { tries } = await countTry(db, `sign-in-failures:${network}`, config.SIGN_IN_WINDOW_MINUTES * 60);
  if (tries % STUFFING === 0) log.error({ network, failures: tries }, 'many sign-ins fail from one network');
}
