import type { Op } from '../../client/call.ts';

/** A part of the report Performance. `of`: the operation whose permission it needs. */
type ReportPart = { name: string; title: string; of: Op };

/** The parts that are not in the menu. `name` is the last segment of the address. */
export const OTHER_PARTS = [
  {
    name: 'revenue',
    title: 'Revenue',
    of: 'GET /admin/dashboard/revenue',
  },
  {
    name: 'payments',
    title: 'Payments',
    of: 'GET /admin/dashboard/payments',
  },
  {
    name: 'players',
    title: 'Players',
    of: 'GET /admin/dashboard/users',
  },
  {
    name: 'games',
    title: 'Games',
    of: 'GET /admin/dashboard/games',
  },
  {
    name: 'top',
    title: 'Top players',
    of: 'GET /admin/dashboard/top-users',
  },
  {
    name: 'liabilities',
    title: 'Liabilities',
    of: 'GET /admin/dashboard/liabilities',
  },
] as const satisfies readonly ReportPart[];

export type PartName = (typeof OTHER_PARTS)[number]['name'];

export const pathOfPart = ({ name }: Pick<ReportPart, 'name'>): string => `/reports/${name}`;
