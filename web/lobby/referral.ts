import { local } from '../kit/storage.ts';

const KEY = 'referral';
/** A referral link that was opened longer ago than this is ignored at sign-up. */
export const KEPT_MS = 30 * 86_400_000;
const CODE = /^[\w-]{1,64}$/;

/**
 * Stores the affiliate code of a link (`?ref=CODE` on any lobby page) until the visitor signs up. The most recently opened link is used. If
 * the browser blocks storage, the code is lost when the page is reloaded. This is acceptable: a sign-up with a password does not reload the
 * page, and a sign-up with an identity provider needs cookies, which such a browser also blocks.
 */
export function keepReferral(search: string, now = Date.now()): void {
  const code = new URLSearchParams(search).get('ref');
  if (code !== null && CODE.test(code)) local.set(KEY, `${now} ${code}`);
}

/** Returns the code to sign up with, or undefined if no link was opened in the last 30 days. */
export function keptReferral(now = Date.now()): string | undefined {
  const [at, code] = local.get(KEY)?.split(' ') ?? [];
  return code !== undefined && CODE.test(code) && now - Number(at) < KEPT_MS ? code : undefined;
}

/** Deletes the code after a sign-up, because it is valid for one sign-up only. */
export const forgetReferral = (): void => local.remove(KEY);
