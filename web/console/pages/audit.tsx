import type { AdminLog } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Badge } from '../../kit/figures.tsx';
import { Json } from '../../kit/page.tsx';
import { listPage } from '../list/list-page.tsx';
import { choice, player, yesNo } from '../list/spec.ts';
import { UserLink } from '../user-link.tsx';

type Kind = 'Successful' | 'Client_Error' | 'Server_Error';
const RESULTS: Readonly<Record<Kind, string>> = {
  Successful: 'Done',
  Client_Error: 'Rejected',
  Server_Error: 'Failed',
};

function Result({ of: status }: { of: number }) {
  if (status < 400)
    return (
      <Badge tone="good" icon="check">
        Done
      </Badge>
    );
  return (
    <Badge tone={status < 500 ? 'warn' : 'bad'} icon={status < 500 ? 'ban' : 'x'}>
      {status < 500 ? `Rejected ${status}` : `Failed ${status}`}
    </Badge>
  );
}

function More({ of: { requestBody, before, after, reason, requestId } }: { of: AdminLog }) {
  return (
    <details>
      <summary>{reason ?? 'Details'}</summary>
      <Json of={{ requestBody, before, after, requestId }} />
    </details>
  );
}

/** The log of staff actions, including rejected ones. It is tamper-evident. The command `npx croupier audit` verifies its hash chain. */
export const Audit = listPage({
  list: 'audit',
  title: 'Audit log',
  op: 'GET /admin/user/admin-audit',
  file: 'audit',
  take: 20,
  input: ({ text, number, flag }) => {
    const kind = text<Kind>('reqType');
    return { query: { userId: number('userId'), isChange: flag('isChange'), reqType: kind && [kind] } };
  },
  keyOf: ({ id }) => id,
  filters: [
    player('userId', 'Staff member'),
    yesNo('isChange', 'Changes data'),
    choice(
      'reqType',
      'Result',
      Object.entries(RESULTS).map(([value, label]) => ({ value, label })),
    ),
  ],
  views: [
    { name: 'All requests', query: {} },
    { name: 'Changes', query: { isChange: 'true' } },
    { name: 'Rejected', query: { reqType: 'Client_Error' } },
    { name: 'Failed', query: { reqType: 'Server_Error' } },
  ],
  columns: [
    { name: 'createdAt', head: 'Time', of: ({ createdAt }) => <When at={createdAt} />, isMain: true },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Staff member',
      of: ({ user }) => <UserLink of={user} />,
      isMain: true,
    },
    {
      name: 'path',
      fields: ['method', 'path'],
      head: 'Request',
      of: ({ method, path }) => `${method} ${path}`,
      wide: true,
    },
    { name: 'statusCode', head: 'Result', of: ({ statusCode }) => <Result of={statusCode} /> },
    { name: 'permission', head: 'Permission', of: ({ permission }) => permission },
    { name: 'ip', head: 'IP address', of: ({ ip }) => ip },
    { name: 'reason', head: 'Details', of: (row) => <More of={row} /> },
  ],
  empty: 'Actions of staff appear here',
});
