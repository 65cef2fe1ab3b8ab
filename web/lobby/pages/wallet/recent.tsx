import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { PlayerDeposit } from '../../../../client/call.ts';
import type { Reading } from '../../../kit/list.tsx';
import { Note } from '../../../kit/note.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { arrivalOf, isWaiting } from './arrival.ts';
import { DepositRow, WithdrawalRow } from './movement.tsx';

/** Polling interval while there is no socket. With a socket, events report every change. */
export const LIVE = { everyMs: 30_000 };
const RECENT = 3;

const useDeposits = () => useRead('GET /payments/deposit', { query: { page: 1, take: RECENT } }, LIVE);

/** The latest deposits, below the address to which they are sent. */
export function RecentDeposits() {
  const { deposit } = words.money;
  const list = useDeposits();
  return (
    <Recent title={deposit.recent} hint={deposit.recentHint} of={list}>
      {(all) => all.map((one) => <DepositRow key={one.id} of={one} />)}
    </Recent>
  );
}

/** The progress of the newest deposit, above the address. On a phone, the list below the address is out of sight. */
export function Arriving() {
  const { data } = useDeposits();
  return (
    <div className="arriving" role="status">
      {data && <Arrived newest={data.data[0]} />}
    </div>
  );
}

function Arrived({ newest }: { newest: PlayerDeposit | undefined }) {
  const key = newest && `${newest.id} ${newest.status}`;
  const [first] = useState(key);
  if (!newest || !(isWaiting(newest) || key !== first)) return null;
  return (
    <Note
      kind={newest.status === 'COMPLETED' ? 'good' : 'plain'}
      {...(isWaiting(newest) && { icon: 'timer' })}
    >
      {arrivalOf(newest, words.money.history)}
    </Note>
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
