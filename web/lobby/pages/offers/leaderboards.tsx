import type { LeaderboardDetail, LeaderboardMyRow, LeaderboardPublic } from '../../../../client/call.ts';
import { units } from '../../../../src/platform/money.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Card, Empty, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { type Columns, List, Table, useFilters } from '../../../kit/table.tsx';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { GameLinks, OfferTabs } from './parts.tsx';

const LIST = 'GET /leaderboards';
const ONE = 'GET /leaderboards/{leaderboardId}';
const MY = 'GET /leaderboards/my';

/** Leaderboards, the newest first, and the player's rank in finished ones. */
export function Leaderboards() {
  const { leaderboards: t } = words.offers;
  const { page, toPage } = useFilters({});
  const all = useRead(LIST, { query: { page, take: 20, sortBy: 'endDate', sortOrder: 'desc' } });
  const own = useRead(MY, { query: { take: 20 } });
  return (
    <Page title={t.title} filters={<OfferTabs />}>
      <div className="stack">
        <p>{t.hint}</p>
        <List
          of={all}
          columns={columns()}
          caption={t.title}
          keyOf={({ id }) => id}
          to={({ id }) => `/offers/leaderboards/${id}`}
          empty={t.none}
          onPage={toPage}
        />
        <Card title={t.own}>
          <Loaded of={own}>{({ data }) => <Own of={data} />}</Loaded>
        </Card>
      </div>
    </Page>
  );
}

function columns(): Columns<LeaderboardPublic> {
  const { leaderboards: t } = words.offers;
  return [
    { head: t.name, of: ({ name }) => name },
    { head: t.state, of: ({ status }) => <State of={status} words={t.states} /> },
    { head: t.pool, of: ({ prizePoolUsd }) => <Usd of={prizePoolUsd} />, end: true },
    { head: t.participants, of: ({ participants }) => participants, end: true },
    { head: t.ends, of: ({ endDate }) => <When at={endDate} /> },
  ];
}

function Own({ of }: { of: readonly LeaderboardMyRow[] }) {
  const { leaderboards: t } = words.offers;
  const own: Columns<LeaderboardMyRow> = [
    { head: t.name, of: ({ name }) => name },
    { head: t.state, of: ({ status }) => <State of={status} words={t.states} /> },
    { head: t.place, of: ({ place }) => place ?? '–', end: true },
    { head: t.score, of: ({ score }) => <Usd of={score} />, end: true },
    { head: t.prize, of: ({ prizeUsdAmount }) => <Usd of={prizeUsdAmount} />, end: true },
    { head: t.paid, of: ({ paidAt }) => <When at={paidAt} /> },
  ];
  return (
    <Table
      rows={of}
      columns={own}
      caption={t.own}
      keyOf={({ leaderboardId }) => leaderboardId}
      to={({ leaderboardId }) => `/offers/leaderboards/${leaderboardId}`}
      empty={t.ownNone}
    />
  );
}

/** A leaderboard: its rules, its standings and the player's rank, updated live. */
export function Leaderboard({ params: { id = '' } }: { params: { id?: string } }) {
  const { leaderboards: t } = words.offers;
  const one = useRead(ONE, { path: { leaderboardId: id }, query: { take: 50 } });
  return (
    <Page title={one.data?.name ?? t.title} filters={<OfferTabs />} of={one}>
      {(board) => (
        <div className="stack">
          {board.description && <p className="plain">{board.description}</p>}
          <div className="cards">
            <Card title={t.terms}>
              <Terms of={board} />
            </Card>
            <Card title={t.yours}>
              <Mine of={board} />
            </Card>
          </div>
          <Standings of={board} />
        </div>
      )}
    </Page>
  );
}

function Terms({ of: board }: { of: LeaderboardDetail }) {
  const { leaderboards: t } = words.offers;
  const { categories, providerIds, gameSlugs } = board.eligible;
  const isEvery = categories.length + providerIds.length + gameSlugs.length === 0;
  return (
    <div className="stack">
      <Facts
        of={{
          [t.state]: <State of={board.status} words={t.states} />,
          [t.begins]: <When at={board.startDate} />,
          [t.ends]: <When at={board.endDate} />,
          [t.pool]: <Usd of={board.prizePoolUsd} />,
          [t.paidIn]: board.currency,
          [t.minBet]: <Usd of={board.minBetUsd} />,
          [t.games]:
            isEvery || gameSlugs.length > 0 ? <GameLinks slugs={gameSlugs} /> : words.offers.someGames,
          ...(categories.length > 0 && { [t.kinds]: categories.join(', ') }),
        }}
      />
      <p className="dim">{t.counts}</p>
    </div>
  );
}

function Mine({ of: { me } }: { of: LeaderboardDetail }) {
  const { leaderboards: t } = words.offers;
  if (!me || (me.place === null && units(me.score) === 0n)) return <Empty>{t.notIn}</Empty>;
  return (
    <div role="status">
      <Facts
        of={{
          [t.place]: <strong>{me.place ?? '–'}</strong>,
          [t.score]: <Usd of={me.score} />,
          [t.toNext]: <Usd of={me.usdToNextPrize} />,
        }}
      />
    </div>
  );
}

function Standings({ of: { users } }: { of: LeaderboardDetail }) {
  const { leaderboards: t } = words.offers;
  const { username } = useMe();
  const places: Columns<(typeof users)[number]> = [
    { head: t.place, of: ({ place }) => place },
    {
      head: t.player,
      of: ({ user }) => (
        <>
          {user.username}
          {user.username === username && <strong> · {t.you}</strong>}
        </>
      ),
    },
    { head: t.score, of: ({ score }) => <Amount of={score} in="USD" />, end: true },
    { head: t.prize, of: ({ prizeUsd }) => <Usd of={prizeUsd} />, end: true },
  ];
  return (
    <Table rows={users} columns={places} caption={t.places} keyOf={({ place }) => place} empty={t.nobody} />
  );
}
