import { Link } from 'wouter';
import type { Leaderboard, LeaderboardUser } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, useFilters, YES_NO } from '../../../kit/filters.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Facts, Loaded, Page, Status, words, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { Pool, PrizeTable } from './prizes.tsx';

const LIST = 'GET /admin/leaderboards';
const ONE = 'GET /admin/leaderboards/{leaderboardId}';
const USERS = 'GET /admin/leaderboards/{leaderboardId}/users';
const USER = 'GET /admin/leaderboards/{leaderboardId}/users/{userId}';
const STALE = [LIST, ONE, USERS, USER] as const;
const CANCELLABLE: readonly string[] = ['SCHEDULED', 'ACTIVE'];

export function LeaderboardPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { leaderboardId: id } });
  return (
    <Page title={one.data?.name ?? 'Leaderboard'} of={one}>
      {(run) => (
        <div className="stack">
          <Waiting of={['leaderboard.prize']} about={{ leaderboardId: id }} />
          <Summary of={run} />
          <TakingPart id={id} />
          <div className="cards">
            <Card title="Prizes">
              <PrizeTable of={run.config.prizes} />
            </Card>
            {CANCELLABLE.includes(run.status) && <Cancel id={id} />}
          </div>
        </div>
      )}
    </Page>
  );
}

function Summary({
  of: { type, status, startDate, endDate, config, scheduleId, description },
}: {
  of: Leaderboard;
}) {
  const { eligible } = config;
  const games = [...eligible.categories, ...eligible.providerIds, ...eligible.gameSlugs].join(', ');
  return (
    <Card title="What it is">
      <Facts
        of={{
          State: <Status of={status} />,
          Type: words(type),
          Begins: <When at={startDate} />,
          Ends: <When at={endDate} />,
          'Prizes in all': <Pool of={config.prizes} />,
          'Paid in': config.currencyId,
          'Stakes count from': <Usd of={config.minBetUsd} />,
          'Games that count': games || 'all',
          Schedule: scheduleId && <Link href={`/leaderboards/schedules/${scheduleId}`}>{scheduleId}</Link>,
          Description: description || null,
        }}
      />
    </Card>
  );
}

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Player' },
  { name: 'isWinner', label: 'Has won', of: YES_NO },
  { name: 'isWaitingForPrice', label: 'Waits for the prize', of: YES_NO },
];

const COLUMNS: Columns<LeaderboardUser> = [
  { head: 'Place', of: ({ place }) => place ?? 'open' },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Wagered', of: ({ score }) => <Usd of={score} />, end: true },
  { head: 'Prize', of: ({ prizeUsdAmount }) => <Usd of={prizeUsdAmount} />, end: true },
  { head: 'Waits', of: ({ isWaitingForPrice }) => <YesNo of={isWaitingForPrice} /> },
  { head: 'Paid', of: (u) => <Amount of={u.paidAmount} in={u.currencyId ?? undefined} />, end: true },
  { head: 'At', of: ({ paidAt }) => <When at={paidAt} /> },
];

function TakingPart({ id }: { id: string }) {
  const filters = useFilters({});
  const { text, flag, page } = filters;
  const path = { leaderboardId: id };
  const query = {
    search: text('search'),
    isWinner: flag('isWinner'),
    isWaitingForPrice: flag('isWaitingForPrice'),
  };
  const list = useRead(USERS, { path, query: { ...query, page, take: 20 } });
  return (
    <Card
      title="Who takes part"
      actions={<Export op={USERS} input={{ path, query }} name={`leaderboard-${id}`} />}
    >
      <Filters of={FILTERS} in={filters} />
      <List
        of={list}
        columns={COLUMNS}
        caption="Who takes part"
        keyOf={({ userId }) => userId}
        to={({ userId }) => `/leaderboards/${id}/users/${userId}`}
        onPage={filters.toPage}
        empty="Nobody is like this."
      />
    </Card>
  );
}

function Cancel({ id }: { id: string }) {
  const cancel = useAct('POST /admin/leaderboards/{leaderboardId}/cancel', {
    stale: STALE,
    said: 'Cancelled',
  });
  return (
    <May op={cancel.op}>
      <Card title="Cancel">
        <Form
          act={cancel}
          input={(f) => ({ path: { leaderboardId: id }, body: { reason: f.text('reason') } })}
          submit="Cancel the leaderboard"
          kind="danger"
          confirm="Cancel it? Nobody wins anything."
        >
          <TextArea name="reason" label="Reason" required maxLength={500} />
        </Form>
      </Card>
    </May>
  );
}

/** A participant and the prize of their rank. */
export function Participant({ params }: { params: { id?: string; userId?: string } }) {
  const { id = '' } = params;
  const userId = Number(params.userId);
  const run = useRead(ONE, { path: { leaderboardId: id } });
  const one = useRead(USER, { path: { leaderboardId: id, userId } });
  return (
    <Page title={one.data?.user.username ?? 'Player'} of={one}>
      {(found) => (
        <div className="stack">
          <Card title="In the leaderboard">
            <Facts
              of={{
                Leaderboard: <Link href={`/leaderboards/${id}`}>{run.data?.name ?? id}</Link>,
                Player: <UserLink of={found.user} />,
                Place: found.place ?? 'not known yet',
                Wagered: <Usd of={found.score} />,
                Prize: <Usd of={found.prizeUsdAmount} />,
                Nominal: <Usd of={found.fullUsdAmount} />,
                'Waits for the prize': <YesNo of={found.isWaitingForPrice} />,
                Paid: <Amount of={found.paidAmount} in={found.currencyId ?? undefined} />,
                'Paid at': <When at={found.paidAt} />,
                Changed: <When at={found.updatedAt} />,
              }}
            />
          </Card>
          {found.isWaitingForPrice && (
            <Loaded of={run}>{({ config }) => <GivePrize of={found} currency={config.currencyId} />}</Loaded>
          )}
        </div>
      )}
    </Page>
  );
}

function GivePrize({
  of: { leaderboardId, userId, user },
  currency,
}: {
  of: LeaderboardUser;
  currency: string;
}) {
  const give = useAct('POST /admin/leaderboards/give-prize', {
    stale: STALE,
    said: (prize) => `Paid: ${prize.amount} ${prize.currencyId}`,
  });
  return (
    <May op={give.op}>
      <Card title="Give the prize">
        <Form
          act={give}
          input={(f) => ({
            body: {
              leaderboardId,
              userId,
              currency: f.text('currency'),
              usdAmount: f.optional('usdAmount'),
              fullUsdAmount: f.optional('fullUsdAmount'),
            },
          })}
          submit="Give it"
          confirm={`Give ${user.username} the prize? It is paid at once, at the rate of now.`}
        >
          <Field name="currency" label="Paid in" defaultValue={currency} required maxLength={16} />
          <AmountField
            name="usdAmount"
            label="What is paid, in USD"
            hint="empty: the whole prize of the place"
          />
          <AmountField
            name="fullUsdAmount"
            label="The prize it is a part of, in USD"
            hint="empty: that of the place"
          />
        </Form>
      </Card>
    </May>
  );
}
