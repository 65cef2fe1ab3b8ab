import { type ReactNode, useState } from 'react';
import type { LeaderboardPublic, PublicPromoOffer } from '../../../../client/call.ts';
import { serverNow } from '../../../kit/clock.ts';
import { duration, money, number, percent } from '../../../kit/intl.ts';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { useReadyRakeback } from '../../frame/ready-rakeback.tsx';
import { useSite } from '../../site.ts';
import { words } from '../../words.ts';
import { Hero } from './hero.tsx';
import { PromoCard, PromoSkeleton } from './promo-card.tsx';

const MOST = 3;
const HOUR_MS = 3_600_000;
/** Offers and leaderboards change rarely. */
const STALE = { staleMs: 60_000 };

/** Current offers: for visitors an introduction to the site, for players the race, their rakeback and offers. All data comes from the server. */
export function Promos() {
  const isIn = useOptionalMe() !== undefined;
  const race = useRace();
  const rakeback = useReadyRakeback(isIn);
  const offers = useOffers(isIn);
  const isPending = race.isPending || offers.isPending || (isIn && rakeback.isPending);
  const cards: ReactNode[] = [
    !isIn && <Hero key="hero" />,
    race.board && <Race key="race" of={race.board} isIn={isIn} />,
    rakeback.usd !== undefined && <Rakeback key="rakeback" usd={rakeback.usd} />,
    ...offers.data.map((offer) => <Offer key={offer.id} of={offer} />),
    <Fair key="fair" />,
  ];
  const shown = cards.filter(Boolean).slice(0, MOST);
  return (
    <section className={`promos of-${isPending ? MOST : shown.length}`} aria-label={words.home.promos}>
      {isPending ? (
        <>
          {isIn ? <PromoSkeleton /> : <Hero />}
          <PromoSkeleton />
          <PromoSkeleton />
        </>
      ) : (
        shown
      )}
    </section>
  );
}

/** The running leaderboard with the largest prize pool. */
function useRace() {
  const { data, isPending } = useRead('GET /leaderboards', { query: { status: 'ACTIVE', take: 20 } }, STALE);
  const [board] = (data?.data ?? []).toSorted((a, b) => Number(b.prizePoolUsd) - Number(a.prizePoolUsd));
  return { board, isPending };
}

/** Offers that the player can claim, or those that are open to all. */
function useOffers(isIn: boolean): { data: readonly PublicPromoOffer[]; isPending: boolean } {
  const own = useRead('GET /promo', {}, { isEnabled: isIn, ...STALE });
  const open = useRead('GET /public/promo', {}, { isEnabled: !isIn, ...STALE });
  return isIn
    ? { data: (own.data ?? []).filter(({ claimed }) => !claimed), isPending: own.isPending }
    : { data: open.data ?? [], isPending: open.isPending };
}

function Race({
  of: { id, name, endDate, prizePoolUsd, prizes },
  isIn,
}: {
  of: LeaderboardPublic;
  isIn: boolean;
}) {
  const t = words.home.race;
  const own = useRead('GET /leaderboards/my', { query: { take: 10 } }, { isEnabled: isIn, ...STALE });
  const mine = own.data?.data.find(({ leaderboardId }) => leaderboardId === id);
  const [left] = useState(() => Date.parse(endDate) - serverNow());
  return (
    <PromoCard
      kind="race"
      tag={left > 0 ? words.home.endsIn(duration(left)) : name}
      icon="timer"
      title={name}
      lead={t.pool(money(prizePoolUsd))}
      to={`/offers/leaderboards/${id}`}
      action={t.view}
      small={words.home.offer.terms}
    >
      {t.prizes(prizes.length)} {mine?.place != null && t.place(number(mine.place), money(mine.score))}
    </PromoCard>
  );
}

const Rakeback = ({ usd }: { usd: string }) => (
  <PromoCard
    kind="rakeback"
    tag={words.menu.rakeback}
    title={words.home.rakeback.ready(money(usd))}
    to="/offers/rakeback"
    action={words.home.rakeback.view}
  />
);

const amountOf = (amount: string, currencyId: string | null) => money(amount, currencyId ?? 'USD');

function titleOf({ percent: share, amount, maxAmount, currencyId, name }: PublicPromoOffer): string {
  const t = words.home.offer;
  if (share !== null)
    return maxAmount === null
      ? t.share(percent(share))
      : t.upTo(percent(share), amountOf(maxAmount, currencyId));
  return amount === null ? name : t.amount(amountOf(amount, currencyId));
}

function Offer({ of: offer }: { of: PublicPromoOffer }) {
  const t = words.home.offer;
  const age = useSite()?.minimumAge;
  const { wagerMultiplier: times, validityHours: hours, minDepositUsd, maxBetUsd } = offer;
  const terms = [
    minDepositUsd !== null && t.minDeposit(money(minDepositUsd)),
    times > 0 && (hours === null ? t.wager(times) : t.wagerWithin(times, duration(hours * HOUR_MS))),
    maxBetUsd !== null && t.maxBet(money(maxBetUsd)),
  ];
  return (
    <PromoCard
      kind="bonus"
      tag={t.types[offer.type]}
      title={titleOf(offer)}
      to="/offers/promo"
      action={t.view}
      small={age === undefined ? t.terms : t.adultsOnly(age)}
    >
      {terms.filter(Boolean).map((term) => (
        <span key={String(term)}>{term} </span>
      ))}
    </PromoCard>
  );
}

const Fair = () => (
  <PromoCard
    kind="fairness"
    tag={words.menu.fairness}
    title={words.home.fair.title}
    to="/fairness"
    action={words.home.fair.view}
  >
    {words.home.fair.text}
  </PromoCard>
);
