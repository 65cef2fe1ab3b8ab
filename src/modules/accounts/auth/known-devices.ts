import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { deriveKey, isSameSecret } from '../../../platform/encryption.ts';
import type { UserRow } from '../../base/users/service.ts';

export type KnownDevices = ReturnType<typeof createKnownDevices>;
/** The user of a device. A new password makes every device unknown: some may belong to somebody who had the old one. */
type Owner = Pick<UserRow, 'id' | 'password_hash'>;

/** How many users of one browser are remembered. */
const OWNERS = 4;
const MARK = /^[\w-]{16}\.\d{10}\.[\w-]{43}$/;
export const DEVICE_COOKIE_SECONDS = 365 * 86_400;

/**
 * Recognises browsers that have signed in before by the cookie `device`: for each of their users an id, an expiry and a MAC over both
 * and the user. The cookie does not reveal who these users are, and grants no access.
 */
export function createKnownDevices(secret: string, clock: Clock) {
  const key = deriveKey(secret, 'known devices');
  const sign = (body: string, { id, password_hash }: Owner) =>
    createHmac('sha256', key)
      .update(`${body}.${id}.${password_hash ?? ''}`)
      .digest('base64url');
  const isOf = (mark: string, owner: Owner) => {
    const end = mark.lastIndexOf('.');
    const body = mark.slice(0, end);
    const isAlive = Number(body.split('.')[1]) * 1000 > clock.now();
    return isAlive && isSameSecret(mark.slice(end + 1), sign(body, owner));
  };
  const marksOf = (cookie: string | undefined) =>
    (cookie ?? '').split('~', OWNERS).filter((mark) => MARK.test(mark));

  return {
    /** The id of the device when this user has signed in there before. */
    find(cookie: string | undefined, owner: Owner): string | undefined {
      return marksOf(cookie)
        .find((mark) => isOf(mark, owner))
        ?.split('.')[0];
    },
    /** The cookie by which the device is known to this user from now on, and to its other users as before. */
    remember(cookie: string | undefined, owner: Owner): string {
      const known = marksOf(cookie);
      const own = known.find((mark) => isOf(mark, owner));
      // The same id again: its count of failed sign-ins goes on.
      const id = own?.split('.')[0] ?? randomBytes(12).toString('base64url');
      const body = `${id}.${Math.floor(clock.now() / 1000) + DEVICE_COOKIE_SECONDS}`;
      const others = known.filter((mark) => mark !== own).slice(0, OWNERS - 1);
      return [`${body}.${sign(body, owner)}`, ...others].join('~');
    },
  };
}
