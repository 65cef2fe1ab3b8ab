import { useState } from 'react';
import type { PromoOffer, Refused } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { money, unit } from '../../../kit/intl.ts';
import { Note, Refusal } from '../../../kit/note.tsx';
import { useAct } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { GameLinks } from './names.tsx';
import { Rows } from './parts.tsx';
import { CHANGED } from './promo-reads.ts';

/** Free spins have neither an amount nor a percentage. */
const areSpins = ({ amount, percent }: PromoOffer) => amount === null && percent === null;

/** The reward in a few words: 25% up to 100 USDT. */
export function headlineOf(offer: PromoOffer): string {
  const { promo } = words.offers;
  const currency = offer.currencyId ?? 'USD';
  if (offer.amount !== null) return money(offer.amount, currency);
  if (offer.percent === null) return offer.freeSpins ? promo.spins(offer.freeSpins) : promo.freeSpins;
  return offer.maxAmount === null
    ? promo.percent(offer.percent)
    : promo.percentUpTo(offer.percent, money(offer.maxAmount, currency));
}

/** A promotion that the player can claim. All its terms are in the dialog that asks for the confirmation. */
export function Offer({ of: offer }: { of: PromoOffer }) {
  const { promo } = words.offers;
  const [isOpen, setOpen] = useState(false);
  return (
    <article className="card tall offer">
      <header className="line">
        <span className="in-square">
          <Icon name={areSpins(offer) ? 'sparkles' : 'gift'} size={20} />
        </span>
        <h3 className="grow">{offer.name}</h3>
        {offer.claimed ? (
          <Badge tone="good">{promo.taken}</Badge>
        ) : (
          offer.endAt !== null && (
            <Badge icon="timer">
              <Countdown to={offer.endAt} over={promo.over} />
            </Badge>
          )
        )}
      </header>
      <p className="big-figure">{headlineOf(offer)}</p>
      {offer.description && <p className="as-written dim">{offer.description}</p>}
      <p className="sm">{summaryOf(offer).join(' · ')}</p>
      <div className="actions">
        {!offer.claimed && (
          <Button kind="main" onClick={() => setOpen(true)}>
            {promo.take}
          </Button>
        )}
        {offer.claimed && (
          <Button kind="line" onClick={() => setOpen(true)}>
            {promo.terms}
          </Button>
        )}
      </div>
      {isOpen && <Claim of={offer} onClose={() => setOpen(false)} />}
    </article>
  );
}

/** The terms that matter most, each on its own. */
function summaryOf(offer: PromoOffer): string[] {
  const { promo } = words.offers;
  return [
    offer.minDepositUsd === null ? undefined : promo.fromDeposit(money(offer.minDepositUsd)),
    offer.wagerMultiplier === 0 ? promo.noWagering : promo.wagerTimes(offer.wagerMultiplier),
    offer.validityHours === null ? undefined : promo.inTime(timeOf(offer.validityHours)),
  ].filter((text) => text !== undefined);
}

const timeOf = (hours: number) =>
  hours % 24 === 0 ? unit(hours / 24, 'day', 'long') : unit(hours, 'hour', 'long');

function wageringOf(offer: PromoOffer): string {
  const { promo } = words.offers;
  const { wagerMultiplier: times } = offer;
  if (times === 0) return promo.noWagering;
  return areSpins(offer) ? promo.timesWins(times) : promo.times(times, offer.wagerBase);
}

/** Asks for the confirmation with all terms, so that a player never accepts terms that are out of sight. */
function Claim({ of: offer, onClose }: { of: PromoOffer; onClose: () => void }) {
  const { promo } = words.offers;
  const take = useAct('POST /promo/redeem', { stale: CHANGED, said: promo.claimed, onDone: onClose });
  return (
    <Dialog
      title={offer.claimed ? offer.name : promo.takeAsk(offer.name)}
      onClose={onClose}
      foot={
        offer.claimed ? undefined : (
          <>
            <Button onClick={onClose}>{words.kit.cancel}</Button>
            <Button
              kind="main"
              op={take.op}
              isBusy={take.isBusy}
              onClick={() => void take.run({ body: { promoId: offer.id } })}
            >
              {promo.take}
            </Button>
          </>
        )
      }
    >
      <Terms of={offer} />
      {offer.wagerMultiplier > 0 && !areSpins(offer) && (
        <Note kind="warn" icon="lock">
          {offer.percent === null && offer.currencyId !== null
            ? promo.locks(offer.currencyId)
            : promo.locksDeposit}
        </Note>
      )}
      <p className="sm dim">{promo.canForfeit}</p>
      {take.refused && take.refused.code !== 'PROMO_NOT_ELIGIBLE' && <Refusal of={take.refused} />}
      <Unmet of={take.refused} />
    </Dialog>
  );
}

function Terms({ of: offer }: { of: PromoOffer }) {
  const { promo } = words.offers;
  const { maxWithdrawalMultiplier: most } = offer;
  return (
    <>
      <Rows
        of={[
          [promo.gives, headlineOf(offer)],
          ...(offer.percent === null ? [] : [[promo.givenOn, promo.nextDeposit] as const]),
          [
            promo.minDeposit,
            offer.minDepositUsd === null ? promo.noLimit : <Usd key="min" of={offer.minDepositUsd} />,
          ],
          [promo.wagering, wageringOf(offer)],
          [promo.within, offer.validityHours === null ? promo.noLimit : timeOf(offer.validityHours)],
          [promo.maxBet, offer.maxBetUsd === null ? promo.noLimit : <Usd key="max" of={offer.maxBetUsd} />],
          [promo.games, <GameLinks key="games" slugs={offer.games} />],
          [promo.becomesCash, most === null ? promo.allOfIt : promo.timesBonus(most)],
          [promo.until, offer.endAt === null ? promo.noLimit : <When key="end" at={offer.endAt} />],
        ]}
      />
      {offer.wagerMultiplier > 0 && <p className="sm dim">{promo.lowRisk(offer.lowRisk)}</p>}
    </>
  );
}

/** The condition of a promotion that the player does not meet. */
export function Unmet({ of }: { of: Refused | undefined }) {
  const rule = of?.code === 'PROMO_NOT_ELIGIBLE' ? of.details.rule : undefined;
  const text = typeof rule === 'string' ? words.offers.promo.rules[rule] : undefined;
  return text === undefined ? null : <Note kind="bad">{text}</Note>;
}
