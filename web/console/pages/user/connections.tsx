import type { UserConnection } from '../../../../client/call.ts';
import { Badge } from '../../../kit/figures.tsx';
import { list, plural } from '../../../kit/intl.ts';
import { Card, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { CONNECTIONS } from './shared.ts';
import { SIGNALS } from './signals.ts';

const COLUMNS: Columns<UserConnection> = [
  { head: 'User', of: ({ user }) => user.username, isMain: true },
  {
    head: 'In common',
    of: ({ signals }) => (
      <span className="line wrap">
        {signals.map((signal) => (
          <Badge key={signal}>{SIGNALS[signal]}</Badge>
        ))}
      </span>
    ),
    wide: true,
    isMain: true,
  },
  {
    head: 'Same person',
    of: ({ isSamePerson }) =>
      isSamePerson ? (
        <Badge tone="warn" icon="triangle-alert">
          Likely
        </Badge>
      ) : (
        <span className="dim">Not certain</span>
      ),
  },
  {
    head: 'Status',
    of: ({ isBanned }) =>
      isBanned ? (
        <Badge tone="bad" icon="ban">
          Banned
        </Badge>
      ) : (
        <span className="dim">–</span>
      ),
  },
];

/** Accounts that share a device, an address or an identity with the user. */
export function UserConnections({ id }: { id: number }) {
  const found = useRead(CONNECTIONS, { path: { id } });
  return (
    <Card title="Connected accounts">
      <Loaded of={found}>
        {({ connections, total, totalIsExact, hidden }) => (
          <>
            <Table
              rows={connections}
              columns={COLUMNS}
              caption="Connected accounts"
              keyOf={({ user }) => user.id}
              to={({ user }) => `/users/${user.id}`}
              empty="No connected accounts found"
            />
            {total > connections.length && (
              <p className="dim xs">
                {plural(total - connections.length, {
                  one: '# more account is not shown',
                  other: '# more accounts are not shown',
                })}
              </p>
            )}
            {!totalIsExact && (
              <p className="dim xs">
                An address is shared by more than 1,000 accounts or sessions. Not all were read.
              </p>
            )}
            {hidden.length > 0 && (
              <p className="dim xs">
                Some signals are hidden: {list(hidden.map((signal) => SIGNALS[signal]))}
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
