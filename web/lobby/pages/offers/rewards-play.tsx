import { Amount, Usd } from '../../../kit/amount.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { money, multiplier, percent } from '../../../kit/intl.ts';
import { refresh, useRead } from '../../../kit/query.ts';
import { useMe } from '../../../kit/session.tsx';
import { isPositive, percentOf } from '../../amounts.ts';
import { useSiteRead } from '../../site.ts';
import { words } from '../../words.ts';
import { Progress, titleOf } from './parts.tsx';
import { RewardCard } from './reward-card.tsx';

const LIST = 'GET /leaderboards';

/** The active leaderboard with the player's best rank, otherwise the one that ends first. */
export function Race() {
  const { home, leaderboards: t } = words.offers;
  const running = useRead(LIST, {
    query: { status: 'ACTIVE', take: 12, sortBy: 'endDate', sortOrder: 'asc' },
  });
  const own = useRead('GET /leaderboards/my', { query: { take: 20 } });
  const places = new Map(own.data?.data.map((row) => [row.leaderboardId, row]));
  const rankOf = (id: string) => places.get(id)?.place ?? Number.POSITIVE_INFINITY;
  const [board] = (running.data?.data ?? []).toSorted((a, b) => rankOf(a.id) - rankOf(b.id) || 0);
  const mine = board && places.get(board.id);
  return (
    <RewardCard
      icon="trophy"
      title={home.race}
      to={board ? `/offers/leaderboards/${board.id}` : '/offers/leaderboards'}
      action={board ? t.view : home.seeLeaderboards}
      of={running}
      end={
        board && (
          <Badge icon="timer">
            <Countdown to={board.endDate} over={t.over} onOver={() => void refresh(LIST)} />
          </Badge>
        )
      }
    >
      {board ? (
        <>
          <p>
            <strong>{board.name}</strong> · {t.prizePool(money(board.prizePoolUsd))}
          </p>
          <p className="big-figure">{mine?.place != null ? t.youAre(mine.place) : t.notInShort}</p>
          <p className="sm dim">{mine ? t.wageredBy(money(mine.score)) : t.players(board.participants)}</p>
        </>
      ) : (
        <>
          <p>{t.noneRunning}</p>
          <p className="sm dim">{t.noneRunningHint}</p>
        </>
      )}
    </RewardCard>
  );
}

/** The VIP level, with the progress to the next one. */
export function Level() {
  const { home } = words.offers;
  const site = useSiteRead();
  const stats = useRead('GET /user/me/stats', {});
  const { vipLevel } = useMe();
  const next = site.data?.vip?.ladder.find(({ level }) => level > vipLevel);
  const wagered = stats.data?.wageredUsd;
  return (
    <RewardCard icon="crown" title={words.menu.vip} to="/offers/vip" action={home.seeLevels} of={stats}>
      <p className="big-figure">{words.frame.vip(vipLevel)}</p>
      {next && wagered !== undefined && (
        <>
          <Progress
            label={home.toLevel(next.level)}
            value={wagered}
            of={next.wageredUsd}
            text={percent(percentOf(wagered, next.wageredUsd))}
          />
          <p className="sm dim">{home.wageredOf(money(wagered), money(next.wageredUsd))}</p>
        </>
      )}
    </RewardCard>
  );
}

/** The number of open challenges, and the player's best try. */
export function ChallengeCard() {
  const { home, challenges: t } = words.offers;
  const open = useRead('GET /challenge', { query: { isFinished: false, take: 20 } });
  const own = useRead('GET /challenge/my', { query: { take: 20 } });
  const count = open.data?.total ?? 0;
  const [nearest] = (own.data?.data ?? [])
    .filter(({ challenge, isWon }) => challenge.status === 'ACTIVE' && !isWon)
    .toSorted((a, b) => reached(b) - reached(a));
  const [first] = open.data?.data ?? [];
  return (
    <RewardCard icon="target" title={t.title} to="/offers/challenges" action={home.seeChallenges} of={open}>
      <p className="big-figure">{count === 0 ? t.none : home.challenges(count)}</p>
      {nearest ? (
        <Progress
          label={titleOf(nearest.challenge)}
          value={String(nearest.bestMultiplier)}
          of={String(nearest.challenge.minBetMultiplier)}
          text={t.bestOf(multiplier(nearest.bestMultiplier), multiplier(nearest.challenge.minBetMultiplier))}
        />
      ) : (
        first && (
          <p className="line between sm">
            <span className="clip">{titleOf(first)}</span>
            <strong>
              <Amount of={first.rewardAmount} in={first.rewardCurrency} />
            </strong>
          </p>
        )
      )}
    </RewardCard>
  );
}

const reached = ({
  bestMultiplier,
  challenge,
}: {
  bestMultiplier: number;
  challenge: { minBetMultiplier: number };
}) => bestMultiplier / challenge.minBetMultiplier;

/** The commission that can be claimed. */
export function Friends() {
  const { home } = words.offers;
  const overview = useRead('GET /affiliate/overview', {});
  const ready = overview.data?.claimableUsdAmount ?? '0';
  return (
    <RewardCard
      icon="users"
      title={words.menu.affiliate}
      to="/offers/affiliate"
      action={home.seeFriends}
      isMain={isPositive(ready)}
      of={overview}
    >
      <p className="big-figure">
        <Usd of={ready} />
      </p>
      <p className="sm dim">
        {home.commission} {home.friends(overview.data?.referrals ?? 0)}
      </p>
    </RewardCard>
  );
}

export function TipsCard() {
  const { home } = words.offers;
  const limits = useRead('GET /user-tips/limits', {});
  return (
    <RewardCard icon="hand-coins" title={words.menu.tips} to="/offers/tips" action={home.seeTips} of={limits}>
      <p>{home.tips}</p>
      {limits.data && (
        <p className="sm dim">
          {home.tipsToday(money(limits.data.sentTodayUsd), money(limits.data.sentLimitUsd))}
        </p>
      )}
    </RewardCard>
  );
}
