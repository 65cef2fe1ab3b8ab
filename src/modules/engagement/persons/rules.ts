/** Signals that two accounts can share. NETWORK: an IPv4 address or an IPv6 /64 network. DEVICE: the browser's user agent. */
export const SIGNALS = ['NETWORK', 'DEVICE', 'PAYOUT_ADDRESS', 'MAILBOX', 'IDENTITY'] as const;
export type Signal = (typeof SIGNALS)[number];

/** Signals that identify a person by themselves. Networks and browsers are not among these signals, because strangers may share them. */
const PERSONAL: ReadonlySet<Signal> = new Set(['PAYOUT_ADDRESS', 'MAILBOX', 'IDENTITY']);
/** Signals that are sufficient without a second signal, because no two people have the same identity or read the same mailbox. */
const CERTAIN: ReadonlySet<Signal> = new Set(['MAILBOX', 'IDENTITY']);

/** Returns true if commission between two accounts is held, because they share any two signals, or one signal that is sufficient alone. */
export const isSuspect = (signals: ReadonlySet<Signal>): boolean =>
  signals.size >= 2 || [...signals].some((signal) => CERTAIN.has(signal));

/** Returns true if two accounts count as one person for benefits that are given once per person. One personal signal is sufficient. */
export const isSamePerson = (signals: ReadonlySet<Signal>): boolean =>
  [...signals].some((signal) => PERSONAL.has(signal));

/**
 * Returns how strongly signals suggest one person. Signals that are sufficient alone count most, then personal ones, then the number of
 * signals.
 */
export function strengthOf(signals: ReadonlySet<Signal>): number {
  const among = (set: ReadonlySet<Signal>) => [...signals].filter((signal) => set.has(signal)).length;
  return among(CERTAIN) * 100 + among(PERSONAL) * 10 + signals.size;
}
