import { useState } from 'react';
import type { PromoGrant } from '../../../../client/call.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { money } from '../../../kit/intl.ts';
import { Note, Refusal } from '../../../kit/note.tsx';
import { refresh, useAct } from '../../../kit/query.ts';
import { isPositive, rest } from '../../amounts.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { GameLinks } from './names.tsx';
import { Progress, RewardState, Rows } from './parts.tsx';
import { areFreeSpins, CHANGED, GRANTS, useSpins } from './promo-reads.ts';

const FORFEIT = 'POST /promo/{grantId}/forfeit';

/** A bonus that is active or waits. */
export function Grant({ of: grant }: { of: PromoGrant }) {
  const { promo } = words.offers;
  const link = useOverlayLink();
  const hasSpins = areFreeSpins(grant);
  return (
    <section className="card tall">
      <header>
        <h2>{grant.name}</h2>
        <RewardState of={grant.status} words={promo.states} />
      </header>
      {hasSpins ? <Spins of={grant} /> : <Wagering of={grant} />}
      <Rows
        of={[
          ...(grant.maxBetUsd === null
            ? []
            : [[promo.maxBet, <Usd key="max" of={grant.maxBetUsd} />] as const]),
          [promo.games, <GameLinks key="games" slugs={grant.games} />],
          ...(grant.expiresAt === null
            ? []
            : [[promo.timeLeft, <TimeLeft key="left" to={grant.expiresAt} />] as const]),
        ]}
      />
      {grant.status === 'ACTIVE' && <Note icon="lock">{promo.lockedNow(grant.currencyId)}</Note>}
      <div className="actions">
        {hasSpins && grant.games[0] && (
          <ButtonLink to={`/games/${grant.games[0]}`} kind="main" icon="play">
            {promo.playSpins}
          </ButtonLink>
        )}
        {isWaitingForDeposit(grant) && (
          <ButtonLink to={link('wallet', 'deposit')} kind="main">
            {promo.deposit}
          </ButtonLink>
        )}
        <Forfeit of={grant} />
      </div>
    </section>
  );
}

/** A percentage bonus has no amount until the deposit arrives. */
const isWaitingForDeposit = ({ status, grantedAmount }: PromoGrant) =>
  status === 'PENDING' && !isPositive(grantedAmount);

const TimeLeft = ({ to }: { to: string }) => (
  <Countdown to={to} over={words.offers.promo.states.EXPIRED!} onOver={() => void refresh(GRANTS)} />
);

function Wagering({ of: grant }: { of: PromoGrant }) {
  const { promo } = words.offers;
  const { currencyId: currency, wagerDone, wagerRequired } = grant;
  if (grant.status === 'PENDING')
    return (
      <>
        {isPositive(grant.grantedAmount) && (
          <p className="big-figure">
            <Amount of={grant.grantedAmount} in={currency} />
          </p>
        )}
        <p className="dim">{isWaitingForDeposit(grant) ? promo.waitsForDeposit : promo.waitsInLine}</p>
      </>
    );
  return (
    <>
      <div>
        <p className="big-figure">
          <Amount of={grant.bonusBalance} in={currency} />
        </p>
        <p className="dim sm">{promo.bonusMoney}</p>
      </div>
      <Progress
        label={promo.wagered}
        value={wagerDone}
        of={wagerRequired}
        text={promo.wageredOf(money(wagerDone, currency), money(wagerRequired, currency))}
      />
      <p className="sm">{promo.leftToWager(money(rest(wagerRequired, wagerDone), currency))}</p>
    </>
  );
}

function Spins({ of: grant }: { of: PromoGrant }) {
  const { promo } = words.offers;
  const spins = useSpins(grant.id, true);
  return (
    <div>
      <p className="big-figure">{spins === undefined ? promo.freeSpins : promo.spins(spins)}</p>
      <p className="dim sm">{promo.spinsHint}</p>
    </div>
  );
}

/** Forfeits a grant. First reads the amount that the player would lose from the server, and asks for confirmation. */
function Forfeit({ of: grant }: { of: PromoGrant }) {
  const { promo } = words.offers;
  const [preview, setPreview] = useState<PromoGrant>();
  const ask = useAct(FORFEIT);
  const forfeit = useAct(FORFEIT, { stale: CHANGED, said: promo.forfeited });
  const path = { grantId: grant.id };
  const look = async () => {
    const done = await ask.run({ path, body: { dryRun: true } });
    if (done) setPreview(done.answer);
  };
  const confirm = async () => {
    if (await forfeit.run({ path, body: {} })) setPreview(undefined);
  };
  const loss = preview?.forfeitedAmount ?? '0';
  return (
    <>
      <Button kind="ghost" isBusy={ask.isBusy} onClick={() => void look()}>
        {promo.forfeit}
      </Button>
      {ask.refused && <Refusal of={ask.refused} />}
      {preview && (
        <Dialog
          title={promo.forfeitAsk}
          onClose={() => setPreview(undefined)}
          foot={
            <>
              <Button onClick={() => setPreview(undefined)}>{words.kit.cancel}</Button>
              <Button kind="danger" isBusy={forfeit.isBusy} onClick={() => void confirm()}>
                {promo.forfeit}
              </Button>
            </>
          }
        >
          <p>{isPositive(loss) ? promo.wouldLose(money(loss, grant.currencyId)) : promo.losesNothing}</p>
          <p className="dim">{promo.cashStays}</p>
          {forfeit.refused && <Refusal of={forfeit.refused} />}
        </Dialog>
      )}
    </>
  );
}
