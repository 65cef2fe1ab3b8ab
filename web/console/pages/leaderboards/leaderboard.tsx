import { Link } from 'wouter';
import type { Leaderboard, LeaderboardUser } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded, Page, Status, words, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { listPart } from '../../list/list-page.tsx';
import { yesNo } from '../../list/spec.ts';
import { MoneyFacts } from '../../money-facts.tsx';
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
          <Players of={{ id }} />
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
    <Card title="Terms">
      <Facts
        of={{
          Status: <Status of={status} />,
          Type: words(type),
          Starts: <When at={startDate} />,
          Ends: <When at={endDate} />,
          'Prize pool': <Pool of={config.prizes} />,
          'Paid in': config.currencyId,
          'Min bet': <Usd of={config.minBetUsd} />,
          'Games that count': games || 'All',
          Schedule: scheduleId && <Link href={`/leaderboards/schedules/${scheduleId}`}>{scheduleId}</Link>,
          Description: description || null,
        }}
      />
    </Card>
  );
}

const Players = listPart<typeof USERS, { id: string }>({
  list: 'leaderboard-players',
  title: 'Players',
  op: USERS,
  file: 'leaderboard',
  take: 20,
  input: ({ text, flag }, { id }) => ({
    path: { leaderboardId: id },
    query: {
      search: text('search'),
      isWinner: flag('isWinner'),
      isWaitingForPrice: flag('isWaitingForPrice'),
    },
  }),
  keyOf: ({ userId }) => userId,
  idField: 'userId',
  nameOf: ({ user }) => user.username,
  to: ({ leaderboardId, userId }) => `/leaderboards/${leaderboardId}/users/${userId}`,
  search: { name: 'search', label: 'Player' },
  filters: [yesNo('isWinner', 'Winner'), yesNo('isWaitingForPrice', 'Prize pending')],
  columns: [
    { name: 'place', head: 'Rank', of: ({ place }) => place ?? 'Open' },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => <UserLink of={user} />,
      isMain: true,
    },
    { name: 'score', head: 'Wagered', of: ({ score }) => <Usd of={score} />, end: true, isMain: true },
    { name: 'prizeUsdAmount', head: 'Prize', of: (u) => <Usd of={u.prizeUsdAmount} />, end: true },
    { name: 'isWaitingForPrice', head: 'Pending', of: (u) => <YesNo of={u.isWaitingForPrice} /> },
    {
      name: 'paidAmount',
      fields: ['paidAmount', 'currencyId'],
      head: 'Paid',
      of: (u) => <Amount of={u.paidAmount} in={u.currencyId ?? undefined} />,
      end: true,
    },
    { name: 'paidAt', head: 'Paid at', of: ({ paidAt }) => <When at={paidAt} /> },
  ],
  empty: 'Players appear here after their first bet',
});

function Cancel({ id }: { id: string }) {
  const cancel = useAct('POST /admin/leaderboards/{leaderboardId}/cancel', {
    stale: STALE,
    said: 'Leaderboard cancelled',
  });
  return (
    <May op={cancel.op}>
      <Card title="Cancel">
        <Form
          act={cancel}
          input={(f) => ({ path: { leaderboardId: id }, body: { reason: f.text('reason') } })}
          submit="Cancel leaderboard"
          kind="danger"
          confirm="Cancel this leaderboard? No prizes are paid."
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
                Rank: found.place ?? 'Not known yet',
                Wagered: <Usd of={found.score} />,
                Prize: <Usd of={found.prizeUsdAmount} />,
                Nominal: <Usd of={found.fullUsdAmount} />,
                'Prize pending': <YesNo of={found.isWaitingForPrice} />,
                Paid: <Amount of={found.paidAmount} in={found.currencyId ?? undefined} />,
                'Paid at': <When at={found.paidAt} />,
                Updated: <When at={found.updatedAt} />,
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
  of: { leaderboardId, userId, user, prizeUsdAmount },
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
      <Card title="Pay prize">
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
          submit="Pay prize"
          confirm={`Pay ${user.username} the prize? It is paid immediately, at the current exchange rate.`}
          tells={({ body }) => (
            <MoneyFacts
              player={user.username}
              amount={body.usdAmount ?? prizeUsdAmount}
              currencyId="USD"
              of={{ 'Paid in': body.currency }}
            />
          )}
        >
          <Field name="currency" label="Paid in" defaultValue={currency} required maxLength={16} />
          <AmountField name="usdAmount" label="Amount (USD)" hint="Leave empty for the whole prize" />
          <AmountField
            name="fullUsdAmount"
            label="Full prize (USD)"
            hint="Leave empty for the prize of the rank"
          />
        </Form>
      </Card>
    </May>
  );
}
