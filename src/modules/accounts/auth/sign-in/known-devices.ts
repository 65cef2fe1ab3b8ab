import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { deriveKeys, isSameSecret, type Secret } from '../../../../platform/secrets/encryption.ts';
import type { UserRow } from '../../../base/users/service.ts';

export type KnownDevices = ReturnType<typeof createKnownDevices>;
/** A user of a device. A new password makes all of the user's devices unknown, because others may have known the old password. */
type Owner = Pick<UserRow, 'id' | 'password_hash'>;

/** The maximum number of users that are remembered for one browser. */
const OWNERS = 4;
const MARK = /^[\w-]{16}\.\d{10}\.[\w-]{43}$/;
export const DEVICE_COOKIE_SECONDS = 365 * 86_400;

/**
 * Uses the cookie `device` to recognize browsers in which someone has signed in before. The cookie contains, for each user of the browser,
 * an id, an expiry and a MAC over both and the user. The cookie does not reveal who these users are, and grants no access.
 */
export function createKnownDevices(secret: Secret, clock: Clock) {
  const keys = deriveKeys(secret, 'known devices');
  const sign = (body: string, { id, password_hash }: Owner, key = keys[0]) =>
    createHmac('sha256', key)
      .update(`${body}.${id}.${password_hash ?? ''}`)
      .digest('base64url');
  const isOf = (mark: string, owner: Owner) => {
    const end = mark.lastIndexOf('.');
    const body = mark.slice(0, end);
    const isAlive = Number(body.split('.')[1]) * 1000 > clock.now();
    return isAlive && keys.some((key) => isSameSecret(mark.slice(end + 1), sign(body, owner, key)));
  };
  const marksOf = (cookie: string | undefined) =>
    (cookie ?? '').split('~', OWNERS).filter((mark) => MARK.test(mark));

  return {
    /** Returns the id of the device if this user has signed in on this device before. */
    find(cookie: string | undefined, owner: Owner): string | undefined {
      return marksOf(cookie)
        .find((mark) => isOf(mark, owner))
        ?.split('.')[0];
    },
    /** Returns the cookie that makes the device known to this user. The device stays known to its other users. */
    remember(cookie: string | undefined, owner: Owner): string {
      const known = marksOf(cookie);
      const own = known.find((mark) => isOf(mark, owner));
      // Keeps the id, so that the number of failed sign-ins on the device is not reset.
      const id = own?.split('.')[0] ?? randomBytes(12).toString('base64url');
      const body = `${id}.${Math.floor(clock.now() / 1000) + DEVICE_COOKIE_SECONDS}`;
      const others = known.filter((mark) => mark !== own).slice(0, OWNERS - 1);
      return [`${body}.${sign(body, owner)}`, ...others].join('~');
    },
  };
}
