import './user.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Answer, UserListRow } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Avatar } from '../../../kit/avatar.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { date, plural } from '../../../kit/intl.ts';
import { Refusal } from '../../../kit/note.tsx';
import { useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { RiskLevel, riskOf } from '../../risk.tsx';
import { MayLink } from '../../user-link.tsx';
import { UserActions } from './actions.tsx';
import { useRow } from './shared.ts';

type User = Answer<'GET /admin/user/{id}'>;
const BALANCE = 'GET /admin/accounting/usd-balance/{userId}';
const LIMITS = 'GET /admin/user-limits/gambling-limits/{id}';
const EXCLUSION = 'GET /admin/user-limits/user-exclusion/{id}';

/** Who the user is, at a glance: status, risk, money and protection. */
export function UserHead({ of: user }: { of: User }) {
  const { data: row, error, refetch } = useRow(user.id);
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
          <UserActions id={user.id} name={user.username} isBanned={row?.isBanned} tags={row?.tags} />
        </div>
      </div>
      {error && <Refusal of={error} onRetry={refetch} />}
      <dl className="figures">
        <May op={BALANCE}>
          <Balance id={user.id} />
        </May>
        <PlayFigures id={user.id} of={row?.statsUsd} />
        <May op={LIMITS}>
          <Protection id={user.id} />
        </May>
      </dl>
    </section>
  );
}

function Marks({ of: user, row }: { of: User; row: UserListRow | undefined }) {
  const risk = riskOf(row?.notes ?? []);
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
      {risk !== 'NONE' && (
        <span title="The highest risk of the notes">
          <RiskLevel of={risk} />
        </span>
      )}
      {row?.tags?.map((tag) => (
        <Badge key={tag} icon="tag">
          {tag}
        </Badge>
      ))}
    </>
  );
}

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

function Balance({ id }: { id: number }) {
  const { data } = useRead(BALANCE, { path: { userId: id } });
  return (
    <Figure label="Balance">
      <Usd of={data?.usdAmount} />
    </Figure>
  );
}

function PlayFigures({ id, of: stats }: { id: number; of: UserListRow['statsUsd'] }) {
  return (
    <>
      <Figure label="Wagered">
        <MayLink op="POST /admin/bets" to={`/bets?userId=${id}`}>
          <Usd of={stats?.totalWagered} />
        </MayLink>
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

function Protection({ id }: { id: number }) {
  const limits = useRead(LIMITS, { path: { id } });
  const exclusion = useRead(EXCLUSION, { path: { id } });
  return (
    <Figure label="Safer play">
      <Link href={`/users/${id}/protection`}>{protectionOf(knownOf(limits), knownOf(exclusion))}</Link>
    </Figure>
  );
}

/** The response, unless a later request failed. */
const knownOf = <T,>({ data, error }: { data: T | undefined; error: unknown }): T | undefined =>
  error ? undefined : data;

function protectionOf(
  limits: Answer<typeof LIMITS> | undefined,
  exclusion: Answer<typeof EXCLUSION> | undefined,
): string {
  if (exclusion?.isActive)
    return exclusion.expiresAt ? `Excluded until ${date(exclusion.expiresAt)}` : 'Excluded';
  if (!limits || !exclusion) return '–';
  return limits.limits.length === 0
    ? 'No limits'
    : plural(limits.limits.length, { one: '# limit', other: '# limits' });
}
