import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { PlayerDeposit, Refused } from '../../../../client/call.ts';
import { Skeleton } from '../../../kit/figures.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { money } from '../../../kit/intl.ts';
import { type PageOf, Pager } from '../../../kit/list.tsx';
import { Empty, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { DepositRow, WithdrawalRow } from './movement.tsx';

/** Polling interval while there is no socket. With a socket, events report every change. */
const LIVE = { everyMs: 30_000 };
const TAKE = 10;
const RECENT = 3;

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

/** The latest deposits, below the address to which they are sent. */
export function RecentDeposits() {
  const { deposit } = words.money;
  const list = useRead('GET /payments/deposit', { query: { page: 1, take: RECENT } }, LIVE);
  return (
    <>
      {list.data && <Arriving newest={list.data.data[0]} />}
      <Recent title={deposit.recent} hint={deposit.recentHint} of={list}>
        {(all) => all.map((one) => <DepositRow key={one.id} of={one} />)}
      </Recent>
    </>
  );
}

/** Tells screen readers when the newest deposit appears or its status changes. */
function Arriving({ newest }: { newest: PlayerDeposit | undefined }) {
  const { history } = words.money;
  const key = newest && `${newest.id} ${newest.status}`;
  const [first] = useState(key);
  return (
    <p className="hidden" aria-live="polite">
      {newest &&
        key !== first &&
        history.arriving(
          money(newest.amount, newest.currencyId),
          history.states[newest.status] ?? newest.status,
        )}
    </p>
  );
}

export function RecentWithdrawals() {
  const list = useRead('GET /payments/withdraw', { query: { page: 1, take: RECENT } }, LIVE);
  return (
    <Recent title={words.money.withdraw.recent} of={list}>
      {(all) => all.map((one) => <WithdrawalRow key={one.id} of={one} />)}
    </Recent>
  );
}

type Reading<T> = {
  data: PageOf<T> | undefined;
  error: Refused | null;
  isPending: boolean;
  refetch: () => unknown;
};

type RecentProps<T> = { title: string; hint?: string; of: Reading<T>; children: (all: T[]) => ReactNode };

function Recent<T>({ title, hint, of, children }: RecentProps<T>) {
  const link = useOverlayLink();
  const isEmpty = of.data?.data.length === 0;
  if (isEmpty && hint === undefined) return null;
  return (
    <section className="recent">
      <header className="line between">
        <h3>{title}</h3>
        {!isEmpty && (
          <Link href={link('wallet', 'history')} className="link sm">
            {words.money.all}
          </Link>
        )}
      </header>
      {isEmpty ? <p className="faint sm">{hint}</p> : <Loaded of={of}>{({ data }) => children(data)}</Loaded>}
    </section>
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
