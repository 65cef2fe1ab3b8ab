import { Amount } from '../../../kit/amount.tsx';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { money } from '../../../kit/intl.ts';
import { Refusal } from '../../../kit/note.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { refresh, useRead } from '../../../kit/query.ts';
import { isPositive, rest } from '../../amounts.ts';
import { readyUsd } from '../../frame/ready-rakeback.tsx';
import { words } from '../../words.ts';
import { Progress } from './parts.tsx';
import { headlineOf } from './promo-offer.tsx';
import { areFreeSpins, GRANTS, OFFERS, useOpenGrants, useSpins } from './promo-reads.ts';
import { claimablePeriods, nextUnlock, RAKEBACK, useClaim, useRakeback } from './rakeback-reads.ts';
import { RewardCard } from './reward-card.tsx';
import { Spotlight } from './spotlight.tsx';

/** Rakeback that can be claimed here and now. */
export function ReadyRakeback() {
  const { home, rakeback } = words.offers;
  const state = useRakeback();
  const { run, busy, refused } = useClaim();
  return (
    <Loaded of={state} skeleton={<Skeleton height={140} />}>
      {(known) => {
        const ready = readyUsd(known);
        const next = nextUnlock(known);
        return (
          <Spotlight
            kind="rakeback"
            label={rakeback.title}
            tag={rakeback.title}
            end={
              <>
                {isPositive(ready) && (
                  <Button
                    kind="main"
                    size="lg"
                    op="POST /rakeback/claim"
                    isBusy={busy.length > 0}
                    onClick={() => void run(claimablePeriods(known))}
                  >
                    {rakeback.claimAll}
                  </Button>
                )}
                <ButtonLink to="/offers/rakeback">{words.kit.details}</ButtonLink>
              </>
            }
          >
            <h2 className="show">{isPositive(ready) ? home.ready(money(ready)) : rakeback.nothingReady}</h2>
            {next && (
              <p>
                {rakeback.nextUnlock(rakeback.periods[next.period])}{' '}
                <Countdown to={next.at} over={rakeback.now} onOver={() => void refresh(RAKEBACK)} />
              </p>
            )}
            {refused && <Refusal of={refused} />}
          </Spotlight>
        );
      }}
    </Loaded>
  );
}

/** Free spins, otherwise the active bonus with its wagering, otherwise a bonus that waits. Players without any see nothing. */
export function Bonus() {
  const { home, promo } = words.offers;
  const grants = useOpenGrants();
  const [grant] = [...grants].sort((a, b) => Number(areFreeSpins(b)) - Number(areFreeSpins(a)));
  const spins = useSpins(grant?.id ?? '', grant !== undefined && areFreeSpins(grant));
  if (!grant) return null;
  const { currencyId: currency, wagerDone, wagerRequired } = grant;
  return (
    <RewardCard
      icon="sparkles"
      title={home.bonus}
      to="/offers/promo"
      action={home.seeBonus}
      end={
        grant.expiresAt && (
          <Badge icon="timer">
            <Countdown
              to={grant.expiresAt}
              over={promo.states.EXPIRED!}
              onOver={() => void refresh(GRANTS)}
            />
          </Badge>
        )
      }
    >
      <p>
        <strong>{grant.name}</strong>
      </p>
      {areFreeSpins(grant) ? (
        <p className="big-figure">{spins === undefined ? promo.freeSpins : promo.spins(spins)}</p>
      ) : grant.status === 'PENDING' ? (
        <p className="dim">{isPositive(grant.grantedAmount) ? promo.waitsInLine : promo.waitsForDeposit}</p>
      ) : (
        <>
          <p className="big-figure">
            <Amount of={grant.bonusBalance} in={currency} />
          </p>
          <Progress
            label={promo.wagered}
            value={wagerDone}
            of={wagerRequired}
            text={promo.leftToWager(money(rest(wagerRequired, wagerDone), currency))}
          />
        </>
      )}
    </RewardCard>
  );
}

/** The number of promotions that the player can claim, and the first of them. */
export function Promotions() {
  const { home, promo } = words.offers;
  const offers = useRead(OFFERS, {});
  const open = (offers.data ?? []).filter(({ claimed }) => !claimed);
  return (
    <RewardCard
      icon="gift"
      title={promo.title}
      to="/offers/promo"
      action={home.seePromotions}
      isMain={open.length > 0}
      of={offers}
    >
      {open.length === 0 ? (
        <>
          <p>{promo.noOffers}</p>
          <p className="sm dim">{promo.noOffersHint}</p>
        </>
      ) : (
        <>
          <p className="big-figure">{home.promotions(open.length)}</p>
          <ul className="short-list">
            {open.slice(0, 2).map((offer) => (
              <li key={offer.id} className="line between sm">
                <span className="clip">{offer.name}</span>
                <strong className="nowrap">{headlineOf(offer)}</strong>
              </li>
            ))}
          </ul>
        </>
      )}
    </RewardCard>
  );
}
