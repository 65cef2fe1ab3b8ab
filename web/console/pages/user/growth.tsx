import { Card, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Table } from '../../../kit/table.tsx';
import { Waiting } from '../../waiting.tsx';
import { AffiliateFacts } from '../affiliates/facts.tsx';
import { GrantList } from '../promo/grants.tsx';
import { RakebackOf } from '../rakeback.tsx';
import { TipsOf } from '../tips.tsx';
import { APPLICATIONS, COLUMNS } from '../vip/applications.tsx';
import { GRANTS } from './shared.ts';

/** A user's rewards: grants, rakeback, VIP level, referrals and money from staff. */
export function UserGrowth({ id }: { id: number }) {
  return (
    <div className="stack">
      <Waiting of={['affiliate.level']} about={{ userId: id }} />
      <May op={GRANTS}>
        <Card title="Bonus grants">
          <GrantList of={{ userId: id }} />
        </Card>
      </May>
      <May op="POST /admin/rakeback/find-many">
        <Card title="Rakeback">
          <RakebackOf userId={id} />
        </Card>
      </May>
      <May op={APPLICATIONS}>
        <Applications userId={id} />
      </May>
      <May op="POST /admin/affiliate/find-one">
        <AffiliateFacts userId={id} />
      </May>
      <May op="GET /admin/admin-tips">
        <Card title="Adjustments">
          <TipsOf userId={id} />
        </Card>
      </May>
    </div>
  );
}

function Applications({ userId }: { userId: number }) {
  const list = useRead(APPLICATIONS, { query: { search: String(userId), take: 20 } });
  return (
    <Card title="VIP applications">
      <Loaded of={list}>
        {({ data }) => (
          <Table
            // The search also matches parts of names, so rows of other users are removed here.
            rows={data.filter((application) => application.userId === userId)}
            columns={COLUMNS.filter(({ name }) => name !== 'user')}
            caption="VIP applications"
            keyOf={({ id }) => id}
            to={({ id }) => `/vip/${id}`}
            empty="No applications"
          />
        )}
      </Loaded>
    </Card>
  );
}
