import type { ReactNode } from 'react';
import type { PromoAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { exactMoney, number } from '../../../kit/intl.ts';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Card, Facts, Loading, Page, Status, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { Tabs } from '../../../kit/tabs.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { ClosedNote, WaitingStart } from './approval.tsx';
import { audienceOf } from './audience.ts';
import { termFacts, useConditionFacts } from './facts.tsx';
import { AskToStart, StatusCard } from './status.tsx';

const ONE = 'GET /admin/promo/{id}';

/** Parts that are large, and that not every visit needs. */
const ChangeTerms = lazily(async () => (await import('./change.tsx')).ChangeTerms);
const Beside = lazily(async () => (await import('./preview.tsx')).Beside);
const GrantToPlayers = lazily(async () => (await import('./grant.tsx')).GrantToPlayers);
const PromoCodes = lazily(async () => (await import('./codes.tsx')).PromoCodes);
const GrantList = lazily(async () => (await import('./grants.tsx')).GrantList);
const PromoGames = lazily(async () => (await import('./games.tsx')).PromoGames);

/** Tabs of the page, by the last part of their URL. */
const PARTS: Readonly<Record<string, (promo: PromoAdmin) => ReactNode>> = {
  terms: (promo) => <ChangeTerms of={promo} />,
  games: (promo) => <PromoGames of={promo} />,
  codes: (promo) => <PromoCodes of={promo} />,
  grants: ({ id }) => <GrantList of={{ promoId: id }} />,
};

export function PromoPage({ params: { id = '', part = '' } }: { params: { id?: string; part?: string } }) {
  const one = useRead(ONE, { path: { id } });
  const at = `/promo/${id}`;
  const tabs = {
    Promotion: at,
    Terms: `${at}/terms`,
    Games: `${at}/games`,
    Codes: `${at}/codes`,
    Grants: `${at}/grants`,
  };
  return (
    <Page title={one.data?.name ?? 'Promotion'} of={one}>
      {(promo) => (
        <>
          <Tabs label="Parts of the promotion" of={tabs} />
          <Imported fallback={<Loading />}>{PARTS[part]?.(promo) ?? <Summary of={promo} />}</Imported>
        </>
      )}
    </Page>
  );
}

function Summary({ of: promo }: { of: PromoAdmin }) {
  const { id, stats } = promo;
  const conditionsOf = useConditionFacts();
  return (
    <div className="promo-edit">
      <div className="stack">
        <Waiting of={['promo.start', 'promo.codes', 'promo.grant']} about={{ promoId: id }} />
        <WaitingStart of={promo} />
        <ClosedNote of={promo} />
        <AskToStart of={promo} />
        <Card title="Terms">
          <Facts
            of={{
              Status: <Status of={promo.status} />,
              Type: words(promo.type),
              ...termFacts(promo),
              'Created by': <UserLink of={promo.createdBy} />,
              Created: <When at={promo.createdAt} />,
              Changed: <When at={promo.updatedAt} />,
              Description: promo.description || null,
            }}
          />
        </Card>
        <Card title="Who can get it">
          <Facts of={{ 'Who gets it': audienceOf(promo), ...conditionsOf(promo) }} />
        </Card>
        {stats && (
          <Card title="Results">
            <Facts
              of={{
                Grants: number(stats.grants),
                Granted: stats.granted.length > 0 ? <Granted of={stats.granted} /> : null,
                'Held by players': <Usd of={stats.activeLiabilityUsd} />,
                Converted: <Usd of={stats.convertedUsd} />,
                Forfeited: <Usd of={stats.forfeitedUsd} />,
              }}
            />
          </Card>
        )}
        <div className="cards">
          <StatusCard of={promo} />
          <Imported fallback={<Loading />}>
            <GrantToPlayers of={promo} />
          </Imported>
        </div>
      </div>
      <Imported fallback={<Loading />}>
        <Beside of={promo} />
      </Imported>
    </div>
  );
}

/** The exact total of all grants in each currency. */
const Granted = ({ of }: { of: readonly { currencyId: string; amount: string }[] }) =>
  of.map(({ currencyId, amount }) => <div key={currencyId}>{exactMoney(amount, currencyId)}</div>);
