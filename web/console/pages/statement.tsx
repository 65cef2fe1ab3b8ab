import type { TransactionDto } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../kit/filters.tsx';
import type { Choice } from '../../kit/form/choice.tsx';
import { List } from '../../kit/list.tsx';
import { Page, words } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';

const LIST = 'POST /admin/accounting/transactions';
const BY: readonly Choice[] = [
  { value: 'amount', label: 'amount' },
  { value: 'usdAmount', label: 'amount in USD' },
];

const FILTERS: readonly FilterField[] = [
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'username', label: 'Username' },
  { name: 'direction', label: 'Direction', of: ['IN', 'OUT'] },
  { name: 'wallet', label: 'Wallet', of: ['CASH', 'VAULT', 'BONUS', 'HOLD'] },
  { name: 'currencyId', label: 'Currency' },
  { name: 'startDate', label: 'From', type: 'datetime-local' },
  { name: 'endDate', label: 'To', type: 'datetime-local' },
  { name: 'sortBy', label: 'By', of: BY, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<TransactionDto> = [
  { head: 'At', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Player', of: ({ userId }) => <UserLink of={{ id: userId }} /> },
  { head: 'What', of: ({ type }) => words(type) },
  { head: 'Wallet', of: ({ wallet }) => words(wallet) },
  {
    head: 'Amount',
    of: (t) => (
      <>
        {t.direction === 'OUT' ? '−' : '+'} <Amount of={t.amount} in={t.currencyId} />
      </>
    ),
    end: true,
  },
  { head: 'In USD', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  { head: 'Before', of: ({ balanceBefore }) => <Amount of={balanceBefore} />, end: true },
  { head: 'After', of: ({ balanceAfter }) => <Amount of={balanceAfter} />, end: true },
  {
    head: 'For',
    of: (t) => [t.referenceType && words(t.referenceType), t.referenceId].filter(Boolean).join(' '),
  },
  { head: 'Note', of: ({ note }) => note },
];

/** Every ledger posting of players' money, one per line. */
export function Statement() {
  const filters = useFilters({});
  const { text, number, moment, page } = filters;
  const body = {
    sortBy: text<'amount' | 'usdAmount'>('sortBy') ?? ('createdAt' as const),
    sortOrder: text<'asc'>('sortOrder') ?? ('desc' as const),
    where: {
      userId: number('userId'),
      username: text('username'),
      direction: text<'IN' | 'OUT'>('direction'),
      wallet: text<'CASH' | 'VAULT' | 'BONUS' | 'HOLD'>('wallet'),
      currencyId: text('currencyId'),
      startDate: moment('startDate'),
      endDate: moment('endDate'),
    },
  };
  const list = useRead(LIST, { body: { ...body, page, take: 50 } });
  return (
    <Page
      title="Statement"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ body: { ...body, page: 1, take: 50 } }} name="statement" />}
    >
      <List of={list} columns={COLUMNS} caption="Statement" keyOf={({ id }) => id} onPage={filters.toPage} />
    </Page>
  );
}
