import { useState } from 'react';
import type { PromoGrant } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Empty, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { RewardState, RewardTabs, Section } from './parts.tsx';
import { Grant } from './promo-grant.tsx';
import { Offer, Unmet } from './promo-offer.tsx';
import { CHANGED, GRANTS, OFFERS, useOpenGrants } from './promo-reads.ts';

const TAKE = 10;

/** The player's bonuses, available promotions and promo codes, each with its terms. */
export function Promo() {
  const { promo } = words.offers;
  const offers = useRead(OFFERS, {});
  return (
    <Page title={promo.title} filters={<RewardTabs />}>
      <div className="rewards">
        <p className="lead">{promo.hint}</p>
        <Own />
        <Section title={promo.offers} icon="gift">
          <Loaded of={offers} skeleton={<Boxes />}>
            {(all) => (
              <div className="grid-2">
                {all.length === 0 && (
                  <Card>
                    <Empty art="no-results" title={promo.noOffers}>
                      {promo.noOffersHint}
                    </Empty>
                  </Card>
                )}
                {all.map((offer) => (
                  <Offer key={offer.id} of={offer} />
                ))}
                <Redeem />
              </div>
            )}
          </Loaded>
        </Section>
        <History />
      </div>
    </Page>
  );
}

const Boxes = () => (
  <div className="grid-2">
    <Skeleton height={210} />
    <Skeleton height={210} />
  </div>
);

/** Bonuses that are active or wait. Players without one do not see this part. */
function Own() {
  const { promo } = words.offers;
  const grants = useOpenGrants();
  if (grants.length === 0) return null;
  return (
    <Section title={promo.own} icon="sparkles">
      <div className="grid-2">
        {grants.map((grant) => (
          <Grant key={grant.id} of={grant} />
        ))}
      </div>
    </Section>
  );
}

/** All of the player's grants, the newest first. Players without any do not see this part. */
function History() {
  const { promo } = words.offers;
  const [page, setPage] = useState(1);
  const all = useRead(GRANTS, { query: { page, take: TAKE } });
  if (all.data?.total === 0) return null;
  const columns: Columns<PromoGrant> = [
    { head: promo.promotion, of: ({ name }) => name, isMain: true },
    { head: promo.state, of: ({ status }) => <RewardState of={status} words={promo.states} />, isMain: true },
    { head: promo.granted, of: (g) => <Amount of={g.grantedAmount} in={g.currencyId} />, end: true },
    { head: promo.lost, of: (g) => <Amount of={g.forfeitedAmount} in={g.currencyId} />, end: true },
    { head: promo.at, of: ({ createdAt }) => <When at={createdAt} /> },
  ];
  return (
    <Section title={promo.history} icon="history">
      <List of={all} columns={columns} caption={promo.history} keyOf={({ id }) => id} onPage={setPage} />
    </Section>
  );
}

function Redeem() {
  const { promo } = words.offers;
  const redeem = useAct('POST /promo/redeem', { stale: CHANGED, said: promo.claimed });
  return (
    <Card title={promo.code}>
      <Form act={redeem} input={(f) => ({ body: { code: f.text('code') } })} submit={promo.redeem} isEmptied>
        <Field
          name="code"
          label={promo.codeField}
          hint={promo.codeHint}
          icon="ticket"
          required
          maxLength={64}
        />
        <Unmet of={redeem.refused} />
      </Form>
    </Card>
  );
}
