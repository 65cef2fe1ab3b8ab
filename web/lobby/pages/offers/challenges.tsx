import './boards.css';
import type { ChallengeMyRow, ChallengePublic } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { useFilters } from '../../../kit/filters.ts';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { multiplier } from '../../../kit/intl.ts';
import { Empty, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { PlayerName } from './names.tsx';
import { gameName, Progress, RewardState, RewardTabs, Rows, Section, titleOf } from './parts.tsx';

export const MY = 'GET /challenge/my';
const LIST = 'GET /challenge';

/** Challenges: the first player who meets the conditions gets the reward. */
export function Challenges() {
  const { challenges: t } = words.offers;
  const { values, change } = useFilters({ of: 'open' });
  const shown = values.of === 'finished' ? 'finished' : 'open';
  const all = useRead(LIST, { query: { isFinished: shown === 'finished', take: 20 } });
  const own = useRead(MY, { query: { take: 20 } });
  const best = new Map(own.data?.data.map((row) => [row.challenge.id, row]));
  return (
    <Page
      title={t.title}
      filters={<RewardTabs />}
      actions={
        <Segmented
          label={t.state}
          of={{ open: t.open, finished: t.finished }}
          value={shown}
          onChange={(of) => change({ of })}
        />
      }
    >
      <div className="rewards">
        <p className="lead">{t.hint}</p>
        <Loaded of={all} skeleton={<Boxes />}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty art="no-results" title={shown === 'open' ? t.none : t.noneFinished}>
                {t.noneHint}
              </Empty>
            ) : (
              <div className="grid-3">
                {data.map((one) => (
                  <Short key={one.id} of={one} best={best.get(one.id)} />
                ))}
              </div>
            )
          }
        </Loaded>
        <Section title={t.own} icon="target">
          <Loaded of={own}>{({ data }) => <Own of={data} />}</Loaded>
        </Section>
      </div>
    </Page>
  );
}

const Boxes = () => (
  <div className="grid-3">
    {[1, 2, 3].map((at) => (
      <Skeleton key={at} height={300} />
    ))}
  </div>
);

function Short({ of: one, best }: { of: ChallengePublic; best: ChallengeMyRow | undefined }) {
  const { challenges: t } = words.offers;
  return (
    <article className="card tall challenge">
      <Picture of={one} />
      <header className="line between">
        <h3 className="grow">{titleOf(one)}</h3>
        {one.status !== 'ACTIVE' && <RewardState of={one.status} words={t.states} />}
      </header>
      <p className="big-figure">
        <Amount of={one.rewardAmount} in={one.rewardCurrency} />
      </p>
      <Terms of={one} />
      {one.status === 'ACTIVE' && <Best of={one} best={best} />}
      <div className="actions">
        {one.status === 'ACTIVE' && (
          <ButtonLink to={`/games/${one.targetGame.slug}`} kind="main" icon="play" label={playOf(one)}>
            {t.play}
          </ButtonLink>
        )}
        <ButtonLink to={`/offers/challenges/${one.id}`} kind="ghost" label={t.detailsOf(titleOf(one))}>
          {words.kit.details}
        </ButtonLink>
      </div>
    </article>
  );
}

export const playOf = ({ targetGame: { slug, name } }: ChallengePublic) =>
  words.offers.challenges.playGame(gameName(slug, name));

/** The operator's picture, otherwise that of the game. */
export function Picture({ of: { imageUrl, targetGame } }: { of: ChallengePublic }) {
  const source = imageUrl ?? targetGame.images[0];
  return source ? <img className="picture" src={source} alt="" loading="lazy" /> : null;
}

export function Terms({ of: one }: { of: ChallengePublic }) {
  const { challenges: t } = words.offers;
  const { slug, name } = one.targetGame;
  return (
    <Rows
      of={[
        [t.game, gameName(slug, name)],
        [t.minBet, <Usd key="bet" of={one.minBetAmountUsd} />],
        [t.multiplier, multiplier(one.minBetMultiplier)],
        ...(one.winner ? [[t.winner, <PlayerName key="winner" of={one.winner} />] as const] : []),
      ]}
    />
  );
}

/** The highest multiplier that the player has reached in this challenge. */
export function Best({ of: one, best }: { of: ChallengePublic; best: ChallengeMyRow | undefined }) {
  const { challenges: t } = words.offers;
  if (!best) return <p className="sm dim">{t.noBet}</p>;
  const { bestMultiplier: reached } = best;
  return (
    <Progress
      label={t.best}
      value={String(reached)}
      of={String(one.minBetMultiplier)}
      text={t.bestOf(multiplier(reached), multiplier(one.minBetMultiplier))}
    />
  );
}

function Own({ of }: { of: readonly ChallengeMyRow[] }) {
  const { challenges: t } = words.offers;
  const columns: Columns<ChallengeMyRow> = [
    { head: t.challenge, of: ({ challenge }) => titleOf(challenge), isMain: true },
    {
      head: t.best,
      of: ({ bestMultiplier, challenge }) =>
        t.bestOf(multiplier(bestMultiplier), multiplier(challenge.minBetMultiplier)),
      end: true,
      isMain: true,
    },
    {
      head: t.result,
      of: ({ isWon }) => (isWon ? <Badge tone="good">{t.won}</Badge> : <Badge>{t.notWon}</Badge>),
    },
    { head: t.at, of: ({ settledAt }) => <When at={settledAt} /> },
  ];
  return (
    <Table
      rows={of}
      columns={columns}
      caption={t.own}
      keyOf={({ betId }) => betId}
      to={({ challenge }) => `/offers/challenges/${challenge.id}`}
      empty={<Empty title={t.ownNone}>{t.ownNoneHint}</Empty>}
    />
  );
}
