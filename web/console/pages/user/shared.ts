import type { Op } from '../../../../client/call.ts';
import { useRead } from '../../../kit/query.ts';
import { useMissing } from '../../../kit/session.tsx';

export const USER = 'GET /admin/user/{id}';
const USERS = 'POST /admin/user/all';
export const GATE = 'GET /admin/users/{id}/gate';
export const GRANTS = 'GET /admin/promo/grants';
export const CONNECTIONS = 'GET /admin/users/{id}/connections';
export const TIMELINE = 'GET /admin/users/{id}/timeline';

/** The operations of the head and the first tab of a user's page. Every change of a user makes their answers out of date. */
export const STALE: readonly Op[] = [USER, USERS, GATE, TIMELINE];

/** The operations that contain the money of a user. */
export const MONEY: readonly Op[] = [
  'GET /admin/accounting/balances',
  'GET /admin/accounting/usd-balance/{userId}',
];

/** Reads the row of a user in the list of users. It contains the ban, notes, balances and figures, as far as this account may see them. */
export function useRow(id: number) {
  const withNotes = useMissing('GET /admin/user-notes') === undefined;
  const { data, error, refetch } = useRead(USERS, {
    body: {
      sortBy: 'id',
      sortOrder: 'asc',
      withPermissions: false,
      withRoles: false,
      withNotes,
      withBalance: true,
      withStatsUsd: true,
      where: { id },
      page: 1,
      take: 1,
    },
  });
  return { data: data?.data[0], error, refetch };
}
