import { useState } from 'react';
import type { PromoGrant, PromoOffer, Refused } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { ActButton, Field, Form } from '../../../kit/form.tsx';
import { Card, Empty, Facts, Loaded, Page, Refusal } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { Button } from '../../../kit/session.tsx';
import { type Columns, List } from '../../../kit/table.tsx';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { GameLinks, OfferTabs, Progress } from './parts.tsx';

const OFFERS = 'GET /promo';
const GRANTS = 'GET /promo/my';
const FORFEIT = 'POST /promo/{grantId}/forfeit';
const CHANGED = [OFFERS, GRANTS, 'GET /payments/withdraw/eligibility'] as const;
const TAKE = 20;

/** The player's bonuses, available bonuses and promo codes, each with its conditions. */
export function Promo() {
  const { promo } = words.offers;
  const active = useRead(GRANTS, { query: { status: 'ACTIVE', take: TAKE } });
  const pending = useRead(GRANTS, { query: { status: 'PENDING', take: TAKE } });
  const offers = useRead(OFFERS, {});
  return (
    <Page title={promo.title} filters={<OfferTabs />}>
      <div className="stack">
        <p>{promo.hint}</p>
        <Loaded of={active}>{({ data }) => <Grants of={[...data, ...(pending.data?.data ?? [])]} />}</Loaded>
        <Card title={promo.code}>
          <Redeem />
        </Card>
        <h2>{promo.offers}</h2>
        <Loaded of={offers}>
          {(all) =>
            all.length === 0 ? (
              <Empty>{promo.noOffers}</Empty>
            ) : (
              <div className="cards">
                {all.map((offer) => (
                  <Offer key={offer.id} of={offer} />
                ))}
              </div>
            )
          }
        </Loaded>
        <History />
      </div>
    </Page>
  );
}

function Grants({ of }: { of: readonly PromoGrant[] }) {
  const { promo } = words.offers;
  return (
    <>
      <h2>{promo.own}</h2>
      {of.length === 0 && <Empty>{promo.none}</Empty>}
      <div className="cards">
        {of.map((grant) => (
          <Grant key={grant.id} of={grant} />
        ))}
      </div>
    </>
  );
}

/** All of the player's grants, the newest first. */
function History() {
  const { promo } = words.offers;
  const [page, setPage] = useState(1);
  const all = useRead(GRANTS, { query: { page, take: TAKE } });
  const columns: Columns<PromoGrant> = [
    { head: promo.title, of: ({ name }) => name },
    { head: promo.state, of: ({ status }) => <State of={status} words={promo.states} /> },
    { head: promo.granted, of: (g) => <Amount of={g.grantedAmount} in={g.currencyId} />, end: true },
    { head: promo.lost, of: (g) => <Amount of={g.forfeitedAmount} />, end: true },
    { head: promo.at, of: ({ createdAt }) => <When at={createdAt} /> },
  ];
  return (
    <Card title={promo.history}>
      <List
        of={all}
        columns={columns}
        caption={promo.history}
        keyOf={({ id }) => id}
        empty={promo.none}
        onPage={setPage}
      />
    </Card>
  );
}

function Grant({ of: grant }: { of: PromoGrant }) {
  const { promo } = words.offers;
  const { currencyId, status } = grant;
  return (
    <Card title={grant.name}>
      <div className="stack">
        <Facts
          of={{
            [promo.state]: <State of={status} words={promo.states} />,
            [promo.granted]: <Amount of={grant.grantedAmount} in={currencyId} />,
            [promo.bonusMoney]: <Amount of={grant.bonusBalance} in={currencyId} />,
            [promo.wagered]: (
              <>
                <Amount of={grant.wagerDone} /> / <Amount of={grant.wagerRequired} in={currencyId} />
              </>
            ),
            [promo.maxBet]: grant.maxBetUsd === null ? words.offers.noLimit : <Usd of={grant.maxBetUsd} />,
            [promo.games]: <GameLinks slugs={grant.games} />,
            [promo.expires]: <When at={grant.expiresAt} />,
          }}
        />
        <Progress label={promo.wagered} percent={grant.progressPercent} />
        {status === 'PENDING' && <p className="dim">{promo.waits}</p>}
        <Forfeit of={grant} />
      </div>
    </Card>
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
  const doIt = async () => {
    if (await forfeit.run({ path, body: {} })) setPreview(undefined);
  };
  return (
    <div className="actions">
      <Button isBusy={ask.isBusy} onClick={() => void look()}>
        {promo.forfeit}
      </Button>
      {ask.refused && <Refusal of={ask.refused} />}
      {preview && (
        <Dialog title={promo.forfeitAsk} onClose={() => setPreview(undefined)}>
          <p>
            {promo.wouldLose} <Amount of={preview.forfeitedAmount ?? '0'} in={grant.currencyId} />
          </p>
          <p>{promo.cashStays}</p>
          {forfeit.refused && <Refusal of={forfeit.refused} />}
          <div className="actions">
            <Button onClick={() => setPreview(undefined)}>{words.kit.cancel}</Button>
            <Button kind="danger" isBusy={forfeit.isBusy} onClick={() => void doIt()}>
              {promo.forfeit}
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Redeem() {
  const { promo } = words.offers;
  const redeem = useAct('POST /promo/redeem', { stale: CHANGED, said: promo.redeemed });
  return (
    <>
      <Form act={redeem} input={(f) => ({ body: { code: f.text('code') } })} submit={promo.redeem} isEmptied>
        <Field name="code" label={promo.codeField} hint={promo.codeHint} required maxLength={64} />
      </Form>
      <Unmet of={redeem.refused} />
    </>
  );
}

/** A condition of the promotion that the player does not meet. */
function Unmet({ of }: { of: Refused | undefined }) {
  const rule = of?.code === 'PROMO_NOT_ELIGIBLE' ? of.details.rule : undefined;
  const said = typeof rule === 'string' ? words.offers.promo.rules[rule] : undefined;
  return said === undefined ? null : <p role="alert">{said}</p>;
}

function Offer({ of: offer }: { of: PromoOffer }) {
  const { promo } = words.offers;
  const take = useAct('POST /promo/redeem', { stale: CHANGED, said: promo.redeemed });
  return (
    <Card title={offer.name}>
      <div className="stack">
        {offer.description && <p className="plain">{offer.description}</p>}
        <Conditions of={offer} />
        {offer.claimed ? (
          <p className="dim">✓ {promo.taken}</p>
        ) : (
          <div className="actions">
            <ActButton act={take} input={{ body: { promoId: offer.id } }} kind="main" confirm={promo.takeAsk}>
              {promo.take}
            </ActButton>
          </div>
        )}
        <Unmet of={take.refused} />
      </div>
    </Card>
  );
}

function Conditions({ of: offer }: { of: PromoOffer }) {
  const { promo } = words.offers;
  const currency = offer.currencyId ?? undefined;
  const { maxWithdrawalMultiplier: most } = offer;
  return (
    <Facts
      of={{
        [promo.gives]:
          offer.percent === null ? (
            <Amount of={offer.amount} in={currency} />
          ) : (
            <>
              {promo.percent(offer.percent)}
              {offer.maxAmount !== null && (
                <>
                  , {promo.atMost} <Amount of={offer.maxAmount} in={currency} />
                </>
              )}
            </>
          ),
        [promo.toWager]: promo.times(offer.wagerMultiplier, offer.wagerBase),
        [promo.becomesCash]: most === null ? promo.allOfIt : promo.timesBonus(most),
        [promo.maxBet]: offer.maxBetUsd === null ? words.offers.noLimit : <Usd of={offer.maxBetUsd} />,
        [promo.games]: <GameLinks slugs={offer.games} />,
        [promo.minDeposit]:
          offer.minDepositUsd === null ? words.offers.noLimit : <Usd of={offer.minDepositUsd} />,
        [promo.within]:
          offer.validityHours === null ? words.offers.noLimit : promo.hours(offer.validityHours),
        [promo.until]: offer.endAt === null ? words.offers.noLimit : <When at={offer.endAt} />,
      }}
    />
  );
}
