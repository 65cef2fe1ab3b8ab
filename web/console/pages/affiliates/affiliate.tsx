import type { AffiliateCode } from '../../../../client/call.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Card, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { GiveCode } from './affiliates.tsx';
import { AffiliateFacts, EXTENDED } from './facts.tsx';
import { ReferralList } from './referrals.tsx';

const LIST = 'POST /admin/affiliate';
const REMOVE = 'DELETE /admin/affiliate/code';

export function AffiliatePage({ params }: { params: { userId?: string } }) {
  const userId = Number(params.userId);
  const one = useRead(EXTENDED, { body: { where: { userId } } });
  return (
    <Page title={one.data ? `Affiliate ${one.data.user.username}` : 'Affiliate'} of={one}>
      {() => (
        <div className="stack">
          <AffiliateFacts userId={userId} isHere />
          <div className="cards">
            <Codes userId={userId} />
            <May op="POST /admin/affiliate/code">
              <GiveCode to={userId} />
            </May>
          </div>
          <Card title="Referrals">
            <ReferralList of={{ affiliate: userId }} />
          </Card>
        </div>
      )}
    </Page>
  );
}

const CODES: Columns<AffiliateCode> = [
  { head: 'Code', of: ({ id }) => <code>{id}</code> },
  { head: 'Referrals', of: ({ usersCount }) => usersCount ?? '–', end: true },
  { head: 'Action', of: ({ id }) => <Remove id={id} /> },
];

function Codes({ userId }: { userId: number }) {
  const found = useRead(LIST, { body: { where: { userId }, take: 1 } });
  return (
    <Card title="Codes">
      <Loaded of={found}>{({ data }) => <CodeTable of={data[0]?.codes ?? []} />}</Loaded>
    </Card>
  );
}

export const CodeTable = ({ of }: { of: readonly AffiliateCode[] }) => (
  <Table rows={of} columns={CODES} caption="Codes" keyOf={({ id }) => id} empty="No codes yet" />
);

function Remove({ id }: { id: string }) {
  const remove = useAct(REMOVE, {
    stale: [LIST, 'GET /admin/affiliate/streamer/{id}', 'POST /admin/affiliate/streamer'],
    said: 'Code deleted',
  });
  return (
    <ActButton
      act={remove}
      input={{ body: { id } }}
      kind="danger"
      confirm={`Delete the code ${id}? Players who signed up with it stay referrals.`}
    >
      Delete
    </ActButton>
  );
}
