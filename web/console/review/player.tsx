import { Link } from 'wouter';
import type { ShortPrivateUser, UserNote } from '../../../client/call.ts';
import { Usd, When } from '../../kit/amount.tsx';
import { Badge } from '../../kit/figures.tsx';
import { list } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { Card, Facts, Loaded } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { May, useMissing } from '../../kit/session.tsx';
import { BalanceFacts } from '../balance-facts.tsx';
import { useRow } from '../pages/user/shared.ts';
import { RISKS, riskOf } from '../risk.tsx';

const ROWS = 'POST /admin/user/all';
const STATS = 'GET /admin/payments/withdraw/stats/{userId}';
const BALANCES = 'GET /admin/accounting/balances';

type Of = { of: Pick<ShortPrivateUser, 'id' | 'username' | 'vipLevel'> };

/** The player of a case, as far as this account may see them. */
export function Player({ of: user }: Of) {
  return (
    <>
      <May op={ROWS}>
        <Summary of={user} />
      </May>
      <May op={BALANCES}>
        <Balances id={user.id} />
      </May>
    </>
  );
}

function Summary({ of: { id, username, vipLevel } }: Of) {
  const { data: row, error, refetch } = useRow(id);
  const isCounted = useMissing(STATS) === undefined;
  const { data: paid } = useRead(STATS, { path: { userId: id } }, { isEnabled: isCounted });
  const stats = row?.statsUsd;
  return (
    <>
      <Card title="Player" actions={<Link className="link" href={`/users/${id}`}>{`Open ${username}`}</Link>}>
        {error && <Refusal of={error} onRetry={refetch} />}
        <Facts
          isRows
          of={{
            ...(row?.notes && { Risk: RISKS[riskOf(row.notes)] }),
            Status: row && <State isBanned={row.isBanned} />,
            VIP: vipLevel,
            Deposited: <Usd of={stats?.totalDeposits} />,
            Withdrawn: <Usd of={stats?.totalWithdraws} />,
            Wagered: <Usd of={stats?.totalWagered} />,
            'House result': <Usd of={stats?.ggr} />,
            ...(paid && {
              Withdrawals: list([
                `${paid.approved} approved`,
                `${paid.rejected} rejected`,
                ...(paid.failed > 0 ? [`${paid.failed} failed`] : []),
              ]),
            }),
          }}
        />
      </Card>
      {row?.notes && <LatestNote of={row.notes} />}
    </>
  );
}

const State = ({ isBanned }: { isBanned: boolean }) => (
  <Badge tone={isBanned ? 'bad' : 'good'} icon={isBanned ? 'ban' : 'circle-check'}>
    {isBanned ? 'Banned' : 'Active'}
  </Badge>
);

/** The balances without the pending withdrawals. */
function Balances({ id }: { id: number }) {
  const found = useRead(BALANCES, { query: { userId: id } });
  return (
    <Card title="Balance left">
      <Loaded of={found}>{(all) => <BalanceFacts of={all} />}</Loaded>
    </Card>
  );
}

function LatestNote({ of }: { of: readonly UserNote[] }) {
  const latest = of.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))[0];
  if (!latest) return null;
  return (
    <Card title="Latest note" actions={RISKS[latest.riskLevel]}>
      <p className="dim written">{latest.note}</p>
      <p className="xs faint">
        {latest.createdBy.username}, <When at={latest.createdAt} />
      </p>
    </Card>
  );
}
