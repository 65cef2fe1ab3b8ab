import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { PlayerDeposit, Refused } from '../../../../client/call.ts';
import { money } from '../../../kit/intl.ts';
import type { PageOf } from '../../../kit/list.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { DepositRow, WithdrawalRow } from './movement.tsx';

/** Polling interval while there is no socket. With a socket, events report every change. */
export const LIVE = { everyMs: 30_000 };
const RECENT = 3;

export type Reading<T> = {
  data: PageOf<T> | undefined;
  error: Refused | null;
  isPending: boolean;
  refetch: () => unknown;
};

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
