import { type ReactNode, useState } from 'react';
import { Skeleton } from '../../../kit/figures.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { Pager } from '../../../kit/list.tsx';
import { Empty, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { words } from '../../words.ts';
import { DepositRow, WithdrawalRow } from './movement.tsx';
import { LIVE, type Reading } from './recent.tsx';

const TAKE = 10;
/** The largest page of the API, from which the pages of both lists together are taken. */
const MOST = 100;

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

/** Both lists in one, newest first. */
function All() {
  const [page, toPage] = useState(1);
  const query = { page: 1, take: page * TAKE };
  const deposits = useRead('GET /payments/deposit', { query }, LIVE);
  const withdrawals = useRead('GET /payments/withdraw', { query }, LIVE);
  const rows = [
    ...(deposits.data?.data ?? []).map((of) => ({ of, row: <DepositRow key={`d${of.id}`} of={of} /> })),
    ...(withdrawals.data?.data ?? []).map((of) => ({
      of,
      row: <WithdrawalRow key={`w${of.id}`} of={of} />,
    })),
  ].toSorted((a, b) => Date.parse(b.of.createdAt) - Date.parse(a.of.createdAt));
  const total = (deposits.data?.total ?? 0) + (withdrawals.data?.total ?? 0);
  const isKnown = deposits.data && withdrawals.data;
  const both = {
    data: isKnown && {
      data: rows.slice((page - 1) * TAKE, page * TAKE),
      page,
      take: TAKE,
      total,
      totalPages: Math.ceil(Math.min(MOST, total) / TAKE),
    },
    error: deposits.error ?? withdrawals.error,
    isPending: deposits.isPending || withdrawals.isPending,
    refetch: () => Promise.all([deposits.refetch(), withdrawals.refetch()]),
  };
  return (
    <Movements
      of={both}
      row={({ row }) => row}
      onPage={toPage}
      empty={<Empty art="no-money" title={kit.nothing} />}
    />
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
    <Loaded of={of} skeleton={lines}>
      {({ data, ...page }) =>
        data.length === 0 ? (
          empty
        ) : (
          <div>
            {data.map(row)}
            <Pager {...page} shown={data.length} onPage={onPage} />
          </div>
        )
      }
    </Loaded>
  );
}
