/** The difference between the server's time and the time since this page was opened. */
let openedAt = Number.NEGATIVE_INFINITY;

/**
 * Notes the Date header of a response. The largest difference is the most exact one: a header is never ahead of the server, but behind it by
 * the way of the response, or by much if the response was cached.
 */
export function noteServerTime(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (!Number.isNaN(at)) openedAt = Math.max(openedAt, at - performance.now());
}

/** Returns the server's time, up to about a second late, even if the clock of the device is wrong. Compare the server's timestamps with it. */
export const serverNow = (): number =>
  openedAt === Number.NEGATIVE_INFINITY ? Date.now() : openedAt + performance.now();
