import type { LeaderboardMyRow, LeaderboardPublic } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { List } from '../../../kit/list.tsx';
import { Empty, Loaded, Page } from '../../../kit/page.tsx';
import { refresh, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { RewardState, RewardTabs, Section } from './parts.tsx';
import { Spotlight } from './spotlight.tsx';

const LIST = 'GET /leaderboards';
const MY = 'GET /leaderboards/my';

/** The running leaderboards first, then all of them and the player's own results. */
export function Leaderboards() {
  const { leaderboards: t } = words.offers;
  const { page, toPage } = useFilters({});
  const running = useRead(LIST, {
    query: { status: 'ACTIVE', take: 12, sortBy: 'endDate', sortOrder: 'asc' },
  });
  const all = useRead(LIST, { query: { page, take: 10, sortBy: 'endDate', sortOrder: 'desc' } });
  const own = useRead(MY, { query: { take: 20 } });
  const places = new Map(own.data?.data.map(({ leaderboardId, place }) => [leaderboardId, place]));
  return (
    <Page title={t.title} filters={<RewardTabs />}>
      <div className="rewards">
        <p className="lead">{t.hint}</p>
        <Loaded of={running} skeleton={<Skeleton height={170} />}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty art="no-results" title={t.noneRunning}>
                {t.noneRunningHint}
              </Empty>
            ) : (
              <div className="grid-2">
                {data.map((board) => (
                  <Running key={board.id} of={board} place={places.get(board.id) ?? null} />
                ))}
              </div>
            )
          }
        </Loaded>
        <Section title={t.own} icon="medal">
          <Loaded of={own}>{({ data }) => <Own of={data} />}</Loaded>
        </Section>
        <Section title={t.all} icon="trophy">
          <List
            of={all}
            columns={columns()}
            caption={t.all}
            keyOf={({ id }) => id}
            to={({ id }) => `/offers/leaderboards/${id}`}
            empty={t.none}
            onPage={toPage}
          />
        </Section>
      </div>
    </Page>
  );
}

function Running({ of: board, place }: { of: LeaderboardPublic; place: number | null }) {
  const { leaderboards: t } = words.offers;
  return (
    <Spotlight
      kind="race"
      label={board.name}
      tag={<Countdown to={board.endDate} over={t.over} onOver={() => void refresh(LIST)} />}
      icon="timer"
    >
      <h2>{board.name}</h2>
      <p className="show">
        <Usd of={board.prizePoolUsd} />
      </p>
      <p>{[t.prizes(board.prizes.length), t.players(board.participants)].join(' · ')}</p>
      {place !== null && <p>{t.youAre(place)}</p>}
      <div>
        <ButtonLink to={`/offers/leaderboards/${board.id}`} kind="main" label={t.viewOf(board.name)}>
          {t.view}
        </ButtonLink>
      </div>
    </Spotlight>
  );
}

function columns(): Columns<LeaderboardPublic> {
  const { leaderboards: t } = words.offers;
  return [
    { head: t.name, of: ({ name }) => name, isMain: true },
    { head: t.state, of: ({ status }) => <RewardState of={status} words={t.states} /> },
    { head: t.pool, of: ({ prizePoolUsd }) => <Usd of={prizePoolUsd} />, end: true, isMain: true },
    { head: t.participants, of: ({ participants }) => participants, end: true },
    { head: t.ends, of: ({ endDate }) => <When at={endDate} /> },
  ];
}

function Own({ of }: { of: readonly LeaderboardMyRow[] }) {
  const { leaderboards: t } = words.offers;
  const own: Columns<LeaderboardMyRow> = [
    { head: t.name, of: ({ name }) => name, isMain: true },
    { head: t.state, of: ({ status }) => <RewardState of={status} words={t.states} /> },
    { head: t.place, of: ({ place }) => <Place of={place} />, end: true, isMain: true },
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
      empty={<Empty title={t.ownNone}>{t.ownNoneHint}</Empty>}
    />
  );
}

const Place = ({ of }: { of: number | null }) =>
  of === null ? (
    <span className="dim">–</span>
  ) : of <= 3 ? (
    <Badge tone="accent" icon="medal">
      {words.offers.leaderboards.nth(of)}
    </Badge>
  ) : (
    words.offers.leaderboards.nth(of)
  );
