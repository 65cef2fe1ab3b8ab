import { type ComponentType, lazy } from 'react';
import type { Op } from '../../client/call.ts';

type Props = { params: Readonly<Record<string, string>> };
type Screen = ComponentType<Props>;

/** A page by its address. `of`: the operation without whose right nobody needs it; with `name` it stands in the menu. */
export type Entry = { path: string; page: Screen; of?: Op; name?: string; group?: string };

/** A page that is loaded when somebody goes there: `of` picks it from its file. */
const page = <M>(load: () => Promise<M>, of: (all: M) => ComponentType<never>): Screen =>
  lazy(async () => ({ default: of(await load()) as Screen }));

const withdrawals = () => import('./pages/withdrawals.tsx');
const account = () => import('./pages/account.tsx');

export const PAGES: readonly Entry[] = [
  {
    path: '/withdrawals',
    page: page(withdrawals, (m) => m.Withdrawals),
    of: 'GET /admin/payments/withdraw',
    name: 'Withdrawals',
    group: 'Money',
  },
  { path: '/withdrawals/:id', page: page(withdrawals, (m) => m.WithdrawalPage) },
  { path: '/account', page: page(account, (m) => m.Account), name: 'Own account', group: 'Platform' },
];
