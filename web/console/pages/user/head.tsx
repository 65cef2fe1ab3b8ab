import './user.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Answer, Op, UserListRow } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Avatar, Badge } from '../../../kit/figures.tsx';
import { date, plural } from '../../../kit/intl.ts';
import { useRead } from '../../../kit/query.ts';
import { useMissing } from '../../../kit/session.tsx';
import { RISKS, riskOf } from '../../risk.tsx';
import { UserActions } from './actions.tsx';
import { useRow } from './shared.ts';

type User = Answer<'GET /admin/user/{id}'>;

/** Who the user is, at a glance: status, risk, money and protection. */
export function UserHead({ of: user }: { of: User }) {
  const row = useRow(user.id);
  return (
    <section className="card user-head" aria-label="Summary">
      <div className="who">
        <Avatar name={user.username} image={user.avatar} size={56} />
        <div className="grow">
          <p className="line wrap">
            <strong className="user-name">{user.username}</strong>
            <Marks of={user} row={row} />
          </p>
          <p className="dim line wrap sm">
            <span>#{user.id}</span>
            {user.email && <span>{user.email}</span>}
            <span>
              {user.isStaff ? 'Staff' : 'Player'} since {date(user.createdAt)}
            </span>
            <span>
              Last sign-in <When at={user.lastLoginAt} />
            </span>
          </p>
        </div>
        <div className="actions">
          <UserActions id={user.id} name={user.username} isBanned={row?.isBanned === true} />
        </div>
      </div>
      <dl className="figures">
        <Balance id={user.id} />
        <PlayFigures id={user.id} of={row?.statsUsd} />
        <Protection id={user.id} />
      </dl>
    </section>
  );
}

function Marks({ of: user, row }: { of: User; row: UserListRow | undefined }) {
  return (
    <>
      {row?.isBanned ? (
        <span title={row.banReason ?? undefined}>
          <Badge tone="bad" icon="ban">
            Banned
          </Badge>
        </span>
      ) : (
        row && (
          <Badge tone="good" icon="circle-check">
            Active
          </Badge>
        )
      )}
      {!user.emailVerified && (
        <Badge tone="warn" icon="mail">
          Email not verified
        </Badge>
      )}
      {user.vipLevel > 0 && (
        <Badge tone="accent" icon="crown">
          VIP {user.vipLevel}
        </Badge>
      )}
      {user.isStaff && <Badge icon="shield-user">Staff</Badge>}
      {user.isStreamer && <Badge icon="video">Streamer</Badge>}
      {row?.notes && riskOf(row.notes) !== 'NONE' && (
        <span className="line" title="The highest risk of the notes">
          {RISKS[riskOf(row.notes)]} risk
        </span>
      )}
    </>
  );
}

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** Reads an operation with the user in its path, if this account may call it. */
const useIfAllowed = (op: Op) => ({ isEnabled: useMissing(op) === undefined });

const BALANCE = 'GET /admin/accounting/usd-balance/{userId}';

function Balance({ id }: { id: number }) {
  const { data } = useRead(BALANCE, { path: { userId: id } }, useIfAllowed(BALANCE));
  return <Figure label="Balance">{data ? <Usd of={data.usdAmount} /> : '–'}</Figure>;
}

function PlayFigures({ id, of: stats }: { id: number; of: UserListRow['statsUsd'] }) {
  return (
    <>
      <Figure label="Wagered">
        <Link href={`/bets?userId=${id}`}>
          <Usd of={stats?.totalWagered} />
        </Link>
      </Figure>
      <Figure label="Net result for the house">
        <Usd of={stats?.ggr} />
      </Figure>
      <Figure label="Deposited / withdrawn">
        <Usd of={stats?.totalDeposits} /> / <Usd of={stats?.totalWithdraws} />
      </Figure>
    </>
  );
}

const LIMITS = 'GET /admin/user-limits/gambling-limits/{id}';
const EXCLUSION = 'GET /admin/user-limits/user-exclusion/{id}';

function Protection({ id }: { id: number }) {
  const limits = useRead(LIMITS, { path: { id } }, useIfAllowed(LIMITS));
  const exclusion = useRead(EXCLUSION, { path: { id } }, useIfAllowed(EXCLUSION));
  const isExcluded = exclusion.data?.isActive === true;
  const count = limits.data?.limits.length;
  return (
    <Figure label="Safer play">
      <Link href={`/users/${id}/protection`}>
        {isExcluded
          ? exclusion.data?.expiresAt
            ? `Excluded until ${date(exclusion.data.expiresAt)}`
            : 'Excluded'
          : count === undefined
            ? '–'
            : count === 0
              ? 'No limits'
              : plural(count, { one: '# limit', other: '# limits' })}
      </Link>
    </Figure>
  );
}
