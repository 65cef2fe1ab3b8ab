import type { RakebackCurrency, RakebackState } from '../../../../client/call.ts';
import { units } from '../../../../src/platform/money.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form.tsx';
import { Tile } from '../../../kit/lines.tsx';
import { Card, Empty, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { OfferTabs, useSite } from './parts.tsx';

const STATE = 'GET /rakeback';
const PERIODS = ['instant', 'daily', 'weekly', 'monthly'] as const;
type Period = (typeof PERIODS)[number];

/** Rakeback: a share of the house edge that the player gets back and can claim for each period. */
export function Rakeback() {
  const { rakeback } = words.offers;
  const state = useRead(STATE, {});
  const days = useSite().data?.rakeback.expiryDays;
  return (
    <Page title={rakeback.title} filters={<OfferTabs />} of={state}>
      {(known) => (
        <div className="stack">
          <p>{rakeback.hint}</p>
          <p className="dim">{days == null ? rakeback.never : rakeback.after(days)}</p>
          <div className="tiles">
            {PERIODS.map((period) => (
              <ClaimTile key={period} period={period} of={known} />
            ))}
            <Tile label={rakeback.claimedInAll}>
              <Usd of={known.totalsUsd.totalClaimed} />
            </Tile>
          </div>
          {known.currencies.length === 0 && <Empty>{rakeback.none}</Empty>}
          {known.currencies.map((currency) => (
            <Card key={currency.currencyId} title={currency.currencyId}>
              <Periods of={currency} />
            </Card>
          ))}
        </div>
      )}
    </Page>
  );
}

function ClaimTile({ period, of: { totalsUsd, rates } }: { period: Period; of: RakebackState }) {
  const { rakeback } = words.offers;
  const claim = useAct('POST /rakeback/claim', {
    stale: [STATE, 'GET /accounting/balances'],
    said: ({ claimed }) =>
      rakeback.claimed(claimed.map(({ amount, currencyId }) => `${amount} ${currencyId}`).join(', ')),
  });
  const isThere = units(totalsUsd[period]) > 0n;
  return (
    <Tile label={rakeback.periods[period]} below={rakeback.rate(rates[period])}>
      <Usd of={totalsUsd[period]} />
      {isThere && (
        <span className="actions">
          <ActButton act={claim} input={{ body: { period } }} kind="main">
            {rakeback.claim(rakeback.periods[period])}
          </ActButton>
        </span>
      )}
    </Tile>
  );
}

type Row = {
  period: Period;
  claimable: string;
  accumulated?: string;
  unlocksAt?: string;
  expiresAt?: string | null;
};

function Periods({ of: currency }: { of: RakebackCurrency }) {
  const { rakeback } = words.offers;
  const rows: Row[] = PERIODS.map((period) => ({ period, ...currency[period] }));
  const columns: Columns<Row> = [
    { head: rakeback.period, of: ({ period }) => rakeback.periods[period] },
    { head: rakeback.claimable, of: (row) => <Amount of={row.claimable} />, end: true },
    { head: rakeback.accumulated, of: (row) => <Amount of={row.accumulated} />, end: true },
    { head: rakeback.unlocks, of: (row) => <When at={row.unlocksAt} /> },
    { head: rakeback.expires, of: (row) => <When at={row.expiresAt} /> },
  ];
  return (
    <Table
      rows={rows}
      columns={columns}
      caption={`${rakeback.title} ${currency.currencyId}`}
      keyOf={({ period }) => period}
    />
  );
}
