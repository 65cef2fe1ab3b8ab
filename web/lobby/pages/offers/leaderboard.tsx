import './boards.css';
import type { LeaderboardDetail, PrizePlace } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Avatar } from '../../../kit/avatar.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { list, number } from '../../../kit/intl.ts';
import { Card, Empty, Page } from '../../../kit/page.tsx';
import { refresh, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { isPositive } from '../../amounts.ts';
import { words } from '../../words.ts';
import { GameLinks, PlayerName } from './names.tsx';
import { RewardState, RewardTabs, Rows, Section, Strip } from './parts.tsx';

const ONE = 'GET /leaderboards/{leaderboardId}';
type Standing = LeaderboardDetail['users'][number];

/** A leaderboard: its podium, standings and rules, and the player's rank, updated live. */
export function Leaderboard({ params: { id = '' } }: { params: { id?: string } }) {
  const { leaderboards: t } = words.offers;
  const one = useRead(ONE, { path: { leaderboardId: id }, query: { take: 50 } });
  return (
    <Page
      title={one.data?.name ?? t.title}
      filters={<RewardTabs />}
      of={one}
      actions={one.data && <Ends of={one.data} />}
    >
      {(board) => (
        <div className="rewards">
          {board.description && <p className="lead as-written">{board.description}</p>}
          <Mine of={board} />
          {board.users.length > 0 && <Podium of={board.users.slice(0, 3)} />}
          <div className="board">
            <Section title={t.places} icon="list-ordered">
              <Standings of={board} />
            </Section>
            <div className="stack">
              <Card title={t.prizesTitle}>
                <Prizes of={board.prizes} />
              </Card>
              <Card title={t.terms}>
                <Terms of={board} />
              </Card>
            </div>
          </div>
        </div>
      )}
    </Page>
  );
}

function Ends({ of: { status, endDate, startDate } }: { of: LeaderboardDetail }) {
  const { leaderboards: t } = words.offers;
  const again = () => void refresh(ONE);
  if (status === 'ACTIVE')
    return (
      <Badge tone="accent" icon="timer">
        {t.endsIn} <Countdown to={endDate} over={t.over} onOver={again} />
      </Badge>
    );
  if (status === 'SCHEDULED')
    return (
      <Badge icon="timer">
        {t.startsIn} <Countdown to={startDate} over={t.states.ACTIVE!} onOver={again} />
      </Badge>
    );
  return <RewardState of={status} words={t.states} />;
}

/** The player's own rank, which may be below the ranks that the table shows. */
function Mine({ of: { me, status } }: { of: LeaderboardDetail }) {
  const { leaderboards: t } = words.offers;
  if (!me || (me.place === null && !isPositive(me.score)))
    return status === 'ACTIVE' ? (
      <Card title={t.yours}>
        <div className="line between wrap">
          <p className="dim">{t.notIn}</p>
          <ButtonLink to="/casino/originals" kind="line">
            {words.page.browse}
          </ButtonLink>
        </div>
      </Card>
    ) : null;
  return (
    <section role="status" aria-label={t.yours}>
      <Strip
        of={[
          [t.yours, me.place === null ? '–' : t.nth(me.place)],
          [t.score, <Usd key="score" of={me.score} />],
          ...(me.usdToNextPrize === null
            ? []
            : [[t.toNext, <Usd key="next" of={me.usdToNextPrize} />] as const]),
        ]}
      />
    </section>
  );
}

/** The first three players. The stylesheet places the first between the others. */
function Podium({ of }: { of: readonly Standing[] }) {
  const { leaderboards: t } = words.offers;
  return (
    <ol className="podium" aria-label={t.podium}>
      {of.map(({ place, user, score, prizeUsd }) => (
        <li key={place} className={`place-${place}`}>
          <span className="face">
            <Avatar name={user.username} image={user.avatar} size={place === 1 ? 64 : 52} />
            <span className="rank">{number(place)}</span>
          </span>
          <strong>
            <PlayerName of={user} />
          </strong>
          {isPositive(prizeUsd) && (
            <span className="prize">
              <Icon name="trophy" size={14} />
              <Usd of={prizeUsd} />
            </span>
          )}
          <span className="dim xs">
            {t.score} <Usd of={score} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Standings({ of: { users, me } }: { of: LeaderboardDetail }) {
  const { leaderboards: t } = words.offers;
  const { username } = useMe();
  const columns: Columns<Standing> = [
    { head: t.place, of: ({ place }) => t.nth(place), isMain: true },
    {
      head: t.player,
      of: ({ user }) => (
        <span className="line player-cell">
          <Avatar name={user.username} image={user.avatar} size={24} />
          <PlayerName of={user} />
          {user.username === username && <Badge tone="accent">{t.you}</Badge>}
        </span>
      ),
      isMain: true,
    },
    { head: t.score, of: ({ score }) => <Usd of={score} />, end: true, isMain: true },
    {
      head: t.prize,
      of: ({ prizeUsd }) => (isPositive(prizeUsd) ? <Usd of={prizeUsd} /> : <span className="dim">–</span>),
      end: true,
    },
  ];
  const isBelow = me?.place != null && me.place > users.length;
  return (
    <>
      <Table
        rows={users}
        columns={columns}
        caption={t.places}
        keyOf={({ place }) => place}
        isOwn={({ user }) => user.username === username}
        empty={<Empty title={t.nobody}>{t.nobodyHint}</Empty>}
      />
      {isBelow && <p className="own-below sm">{t.youAreBelow(me.place!)}</p>}
    </>
  );
}

/** Ranks with the same prize share a row: 4–10. */
function Prizes({ of }: { of: readonly PrizePlace[] }) {
  const { leaderboards: t } = words.offers;
  const groups: { from: number; to: number; usd: string }[] = [];
  for (const { place, usdAmount } of of.toSorted((a, b) => a.place - b.place)) {
    const last = groups.at(-1);
    if (last?.usd === usdAmount && last.to === place - 1) last.to = place;
    else groups.push({ from: place, to: place, usd: usdAmount });
  }
  return (
    <Rows
      of={groups.map(({ from, to, usd }) => [
        from === to ? t.nth(from) : t.range(from, to),
        <Usd key={from} of={usd} />,
      ])}
    />
  );
}

function Terms({ of: board }: { of: LeaderboardDetail }) {
  const { leaderboards: t, games } = words.offers;
  const { categories, providerIds, gameSlugs } = board.eligible;
  const isEvery = categories.length + providerIds.length + gameSlugs.length === 0;
  const names: Readonly<Record<string, string>> = words.catalogue.categories;
  const kinds = categories.map((category) => names[category] ?? category);
  return (
    <div className="stack tight">
      <Rows
        of={[
          [t.pool, <Usd key="pool" of={board.prizePoolUsd} />],
          [t.paidIn, board.currency],
          [t.begins, <When key="from" at={board.startDate} />],
          [t.ends, <When key="to" at={board.endDate} />],
          [t.participants, number(board.participants)],
          ...(isPositive(board.minBetUsd)
            ? [[t.minBet, <Usd key="bet" of={board.minBetUsd} />] as const]
            : []),
          [
            t.games,
            isEvery || gameSlugs.length > 0 ? <GameLinks key="games" slugs={gameSlugs} /> : games.some,
          ],
          ...(kinds.length > 0 ? [[t.kinds, list(kinds)] as const] : []),
        ]}
      />
      <p className="sm dim">{t.counts}</p>
    </div>
  );
}
