import { createHmac } from 'node:crypto';
import { networkOf } from '../../../platform/address.ts';
import type { Config } from '../../../platform/config.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { deriveKey } from '../../../platform/encryption.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { UserRow } from '../../base/users/service.ts';
import { countTry, giveBack, takeTry } from './attempts.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Device } from './open-session.ts';

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** A sign-in: the email as typed, its user if there is one, and where it comes from. */
export type Attempt = { email: string; user: UserRow | undefined; device: Device };

/** Wrong passwords from one network within the window that look like a list of stolen ones being tried. */
const STUFFING = 50;

/**
 * How often a sign-in may fail. Counted under what was typed, whether such an account exists or not, so that the answer tells
 * nothing about it: per account and network, and per account from everywhere. A device that has signed in before has a count
 * of its own instead, so strangers cannot lock the owner out, nor guess from many networks in parallel.
 */
export function createSignInLimits({
  db,
  config,
  log,
  metrics,
  devices,
}: {
  db: Db;
  config: Config;
  log: Log;
  metrics: Metrics;
  devices: KnownDevices;
}) {
  const secret = deriveKey(config.DATA_SECRET, 'sign-in limits');
  const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
  /** Stands for an address where it must not be readable: in the table of attempts and in the log. */
  const nameOf = (email: string) =>
    createHmac('sha256', secret).update(email.toLowerCase()).digest('base64url').slice(0, 22);

  const keysOf = ({ email, user, device }: Attempt) => {
    const account = `sign-in:${nameOf(email)}`;
    const known = user && devices.find(device.knownAs, user);
    const place = known ? `device:${known}` : networkOf(device.ip);
    return { pair: `${account}:${place}`, account: known ? undefined : account };
  };
  const refused = (reason: 'password' | 'limited', { email, device }: Attempt) => {
    metrics.signInFailures.inc({ reason });
    log.warn({ reason, account: nameOf(email), network: networkOf(device.ip) }, 'sign-in failed');
  };

  const halfway = async (tx: Tx, attempt: Attempt): Promise<void> => {
    const { account } = keysOf(attempt);
    if (account) await giveBack(tx, [account], 'one');
  };

  return {
    nameOf,

    /** Takes a try before the password is looked at. Throws 429 RATE_LIMITED when there is none left. */
    async take(attempt: Attempt): Promise<void> {
      const { pair, account } = keysOf(attempt);
      let wait = await takeTry(db, [{ key: pair, tries: config.SIGN_IN_TRIES, windowSeconds }]);
      // One network alone cannot use up the tries of all the others.
      if (wait === 0 && account)
        wait = await takeTry(db, [{ key: account, tries: config.SIGN_IN_TRIES_ACCOUNT, windowSeconds }]);
      if (wait === 0) return;
      refused('limited', attempt);
      throw commonErrors.RATE_LIMITED({ retryAfterSeconds: wait });
    },

    /** Gives the try back: nobody came to look at the password. */
    async untaken(attempt: Attempt): Promise<void> {
      const { pair, account } = keysOf(attempt);
      await giveBack(db, account ? [pair, account] : [pair], 'one');
    },

    /** Notes that the password was wrong. */
    async failed(attempt: Attempt): Promise<void> {
      refused('password', attempt);
      const network = networkOf(attempt.device.ip);
      const { tries } = await countTry(db, `sign-in-failures:${network}`, windowSeconds);
      if (tries % STUFFING === 0)
        log.error({ network, failures: tries }, 'many sign-ins fail from one network');
    },

    /** The password was right and the second factor is due: whoever knows one alone does not use up the tries of the account. */
    halfway,

    /** Gives the tries back once a session was opened: those of this place, and the one of the account unless `halfway` did. */
    async succeeded(tx: Tx, attempt: Attempt, { wasHalfway }: { wasHalfway: boolean }): Promise<void> {
      const { pair } = keysOf(attempt);
      await giveBack(tx, [pair], 'all');
      if (!wasHalfway) await halfway(tx, attempt);
    },

    /** The mailbox has proven itself (a password reset): what others tried does not count against its owner. */
    async forgive(tx: Tx, attempt: Attempt): Promise<void> {
      const { pair } = keysOf(attempt);
      await giveBack(tx, [pair, `sign-in:${nameOf(attempt.email)}`], 'all');
    },
  };
}
