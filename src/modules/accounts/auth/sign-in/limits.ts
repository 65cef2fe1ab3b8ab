import { createHmac } from 'node:crypto';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db, Tx } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { networkOf } from '../../../../platform/net/address.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { deriveKey } from '../../../../platform/secrets/encryption.ts';
import type { UserRow } from '../../../base/users/service.ts';
import { countTry, giveBack, takeTries } from '../attempts.ts';
import type { Device } from '../sessions/sessions.ts';
import type { KnownDevices } from './known-devices.ts';

export type SignInLimits = ReturnType<typeof createSignInLimits>;

/** `email` is the address that was entered. `user` is the account with this address, if it exists. */
type Attempt = { email: string; user: UserRow | undefined; device: Device };

/** This number of wrong passwords from one network within the window suggests credential stuffing. */
const STUFFING = 50;

type Deps = { db: Db; config: Config; log: Log; metrics: Metrics; knownDevices: KnownDevices };

/**
 * Limits failed sign-ins per account and network, and per account from all networks. Attempts are counted whether or not the address has an
 * account, so that the response does not reveal whether it has one. A device that has signed in before is counted separately, so strangers
 * cannot lock the owner out.
 */
export function createSignInLimits(deps: Deps) {
  const { db, config, knownDevices } = deps;
  const secret = deriveKey(config.DATA_SECRET, 'sign-in limits');
  /** Returns a pseudonym of an email address for the log and the table of attempts, which must not contain the address. */
  const nameOf = (email: string) =>
    createHmac('sha256', secret).update(email.toLowerCase()).digest('base64url').slice(0, 22);

  const keysOf = ({ email, user, device }: Attempt): Keys => {
    const account = `sign-in:${nameOf(email)}`;
    const known = user && knownDevices.find(device.knownAs, user);
    const place = known ? `device:${known}` : networkOf(device.ip);
    return { pair: `${account}:${place}`, account: known ? undefined : account };
  };
  const halfway = async (tx: Tx, attempt: Attempt): Promise<void> => {
    const { account } = keysOf(attempt);
    if (account) await giveBack(tx, [account], 'one');
  };
  const recordFailure = (reason: 'password' | 'limited', { email, device }: Attempt) => {
    deps.metrics.signInFailures.inc({ reason });
    deps.log.warn({ reason, account: nameOf(email), network: networkOf(device.ip) }, 'sign-in failed');
  };

  return {
    nameOf,

    /** Counts an attempt before the password is verified. Throws 429 RATE_LIMITED if no attempts are left. */
    async count(attempt: Attempt): Promise<void> {
      const retryAfterSeconds = await countTries(deps, keysOf(attempt));
      if (retryAfterSeconds === 0) return;
      recordFailure('limited', attempt);
      throw commonErrors.RATE_LIMITED({ retryAfterSeconds });
    },

    /** Subtracts the counted attempt. Called if the password could not be verified. */
    async uncount(attempt: Attempt): Promise<void> {
      const { pair, account } = keysOf(attempt);
      await giveBack(db, account ? [pair, account] : [pair], 'one');
    },

    /** Records that the password was wrong. */
    async failed(attempt: Attempt): Promise<void> {
      recordFailure('password', attempt);
      await warnOfStuffing(deps, networkOf(attempt.device.ip));
    },

    /** Subtracts the attempt from the account's counter. Called when the password is correct but a second factor is required. */
    halfway,

    /** Called when a session opens. Resets the counter of the device or network, and subtracts the attempt from the account's counter. */
    async succeeded(tx: Tx, attempt: Attempt, { wasHalfway }: { wasHalfway: boolean }): Promise<void> {
      await giveBack(tx, [keysOf(attempt).pair], 'all');
      if (!wasHalfway) await halfway(tx, attempt);
    },

    /** Resets the limits after a password reset, so that failed attempts by others do not affect the owner. */
    forgive: (tx: Tx, attempt: Attempt): Promise<void> =>
      giveBack(tx, [keysOf(attempt).pair, `sign-in:${nameOf(attempt.email)}`], 'all'),
  };
}

/**
 * `pair` is the counter of the account's attempts from this device or network. `account` is the counter of the account's attempts from all
 * networks; undefined if the device is known.
 */
type Keys = { pair: string; account: string | undefined };

/** Counts an attempt and returns the number of seconds to wait, or 0 if no limit is exhausted. */
async function countTries({ db, config }: Deps, { pair, account }: Keys): Promise<number> {
  const windowSeconds = config.SIGN_IN_WINDOW_MINUTES * 60;
  const wait = await takeTries(db, [{ key: pair, tries: config.SIGN_IN_TRIES, windowSeconds }]);
  // Once the attempts from a network are used up, further ones do not count towards the account's limit, so that one network cannot lock
  // out others.
  if (wait > 0 || !account) return wait;
  return takeTries(db, [{ key: account, tries: config.SIGN_IN_TRIES_ACCOUNT, windowSeconds }]);
}

async function warnOfStuffing({ db, config, log }: Deps, network: string): Promise<void> {
  const { tries } = await countTry(db, `sign-in-failures:${network}`, config.SIGN_IN_WINDOW_MINUTES * 60);
  if (tries % STUFFING === 0)
    log.error({ network, failures: tries }, 'many failed sign-ins from one network');
}
