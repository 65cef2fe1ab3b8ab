import type { Op } from '../../client/call.ts';
import { rangeOf, type TimeRange } from '../../src/modules/backoffice/dashboards/periods/rules.ts';
import { serverNow } from '../kit/clock.ts';
import { localTime } from '../kit/form/read.ts';
import { missingRight, useMe } from '../kit/session.tsx';

/** The moments of a period. Without an end it lasts until now. */
export type Span = { start: string; end?: string | undefined };
type Values = Readonly<Record<string, string | undefined>>;

function addressOf(path: string, values: Values): string {
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/** Filters of the ledger. A request for a withdrawal moves money to the wallet HOLD, from which it is paid out. */
export const POSTINGS = {
  DEPOSIT: { type: 'DEPOSIT' },
  WITHDRAW: { type: 'WITHDRAW', wallet: 'HOLD', direction: 'OUT' },
} as const;

/** Returns the addresses of the rows behind a figure. An address is undefined if this account may not read the rows. */
export function useDrill() {
  const me = useMe();
  const open = (op: Op, path: string, values: Values = {}) =>
    missingRight(me, op) === undefined ? addressOf(path, values) : undefined;
  const within = ({ start, end }: Span) => ({ startDate: localTime(start), endDate: lastMinute(end) });
  return {
    bets: (span: Span) => open('POST /admin/bets', '/bets', within(span)),
    /** The postings of deposits, or of withdrawals that were paid out. */
    ledger: (span: Span, type: keyof typeof POSTINGS) =>
      open('POST /admin/accounting/transactions', '/statement', { ...POSTINGS[type], ...within(span) }),
    signUps: ({ start, end }: Span) =>
      open('POST /admin/user/all', '/users', {
        registeredFrom: localTime(start),
        registeredTo: lastMinute(end),
      }),
    withdrawals: () => open('GET /admin/payments/withdraw', '/withdrawals'),
    /** Play in a period of the reports about play. */
    play: (range: string, part: '' | '/curves' | '/games' = '') =>
      open('GET /admin/dashboard-v2/game/stats', `/play-report${part}`, { range }),
  };
}

/** The last whole month as filters of a list. */
export function lastMonth() {
  const { from, until } = rangeOf('LAST_MONTH', serverNow());
  return { startDate: localTime(iso(from))!, endDate: localTime(iso(until))! };
}

const MINUTE_MS = 60_000;

/** Date fields have whole minutes, so the end is rounded up. */
const lastMinute = (end: string | undefined) =>
  end && localTime(iso(Math.ceil(Date.parse(end) / MINUTE_MS) * MINUTE_MS));

/** The period of a report whose charts begin with these points. `end`: that of days that staff chose. */
export const spanOf = (points: readonly { at: string }[], range: TimeRange, end?: string): Span => ({
  start: points[0]?.at ?? iso(serverNow()),
  end: range === 'CUSTOM' ? end : endOf(range),
});

/** The end of a range that is over. Other ranges last until now. */
function endOf(range: Exclude<TimeRange, 'CUSTOM'>): string | undefined {
  const { until } = rangeOf(range, serverNow());
  return until <= serverNow() ? iso(until) : undefined;
}

const iso = (at: number): string => new Date(at).toISOString();
