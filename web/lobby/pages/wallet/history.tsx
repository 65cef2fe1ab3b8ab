import { type ReactNode, useState } from 'react';
import { Skeleton } from '../../../kit/figures.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { Paged, type Reading } from '../../../kit/list.tsx';
import { Empty } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { words } from '../../words.ts';
import { MOST, pageOfBoth, TAKE } from './both.ts';
import { DepositRow, WithdrawalRow } from './movement.tsx';
import { LIVE } from './recent.tsx';

type Kind = 'all' | 'deposits' | 'withdrawals';

/** The player's deposits and withdrawals. */
export function History() {
  const { history } = words.money;
  const [kind, setKind] = useState<Kind>('all');
  return (
    <>
      <Segmented
        label={history.kind}
        of={{ all: kit.all, deposits: history.deposits, withdrawals: history.withdrawals }}
        value={kind}
        onChange={setKind}
      />
      {kind === 'all' ? <All /> : kind === 'deposits' ? <Deposits /> : <Withdrawals />}
    </>
  );
}

/** All pages are taken from the same two responses. Otherwise a new page would show old rows until both responses arrive. */
const NEWEST = { query: { page: 1, take: MOST } };

/** The newest deposits and withdrawals in one list. Its last page says that the older ones are in the separate lists. */
function All() {
  const { history } = words.money;
  const [page, toPage] = useState(1);
  const deposits = useRead('GET /payments/deposit', NEWEST, LIVE);
  const withdrawals = useRead('GET /payments/withdraw', NEWEST, LIVE);
  const rows = deposits.data &&
    withdrawals.data && [
      ...deposits.data.data.map((of) => ({ ...of, row: <DepositRow key={`d${of.id}`} of={of} /> })),
      ...withdrawals.data.data.map((of) => ({ ...of, row: <WithdrawalRow key={`w${of.id}`} of={of} /> })),
    ];
  const both = {
    data: rows && pageOfBoth(rows, page),
    error: deposits.error ?? withdrawals.error,
    isPending: deposits.isPending || withdrawals.isPending,
    refetch: () => Promise.all([deposits.refetch(), withdrawals.refetch()]),
  };
  const total = (deposits.data?.total ?? 0) + (withdrawals.data?.total ?? 0);
  const hasOlder = both.data?.page === both.data?.totalPages && total > MOST;
  return (
    <>
      <Movements
        of={both}
        row={({ row }) => row}
        onPage={toPage}
        empty={<Empty art="no-money" title={kit.nothing} />}
      />
      {hasOlder && <p className="dim sm">{history.older(history.deposits, history.withdrawals)}</p>}
    </>
  );
}

function Deposits() {
  const { history } = words.money;
  const [page, toPage] = useState(1);
  const list = useRead('GET /payments/deposit', { query: { page, take: TAKE } }, LIVE);
  return (
    <Movements
      of={list}
      row={(one) => <DepositRow key={one.id} of={one} />}
      onPage={toPage}
      empty={
        <Empty art="no-money" title={history.noDeposits}>
          {history.noDepositsHint}
        </Empty>
      }
    />
  );
}

function Withdrawals() {
  const { history } = words.money;
  const [page, toPage] = useState(1);
  const list = useRead('GET /payments/withdraw', { query: { page, take: TAKE } }, LIVE);
  return (
    <Movements
      of={list}
      row={(one) => <WithdrawalRow key={one.id} of={one} />}
      onPage={toPage}
      empty={
        <Empty art="no-money" title={history.noWithdrawals}>
          {history.noWithdrawalsHint}
        </Empty>
      }
    />
  );
}

type MovementsProps<T> = {
  of: Reading<T>;
  row: (one: T) => ReactNode;
  onPage: (page: number) => void;
  empty: ReactNode;
};

function Movements<T>({ of, row, onPage, empty }: MovementsProps<T>) {
  const lines = Array.from({ length: 5 }, (_, at) => <Skeleton key={String(at)} height={36} />);
  return (
    <Paged of={of} skeleton={lines} onPage={onPage}>
      {(rows) => (rows.length === 0 ? empty : <div>{rows.map(row)}</div>)}
    </Paged>
  );
}
