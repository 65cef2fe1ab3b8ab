import { useState } from 'react';
import { Link } from 'wouter';
import type { ExchangeRate, VaultBalance } from '../../../../client/call.ts';
import type { Units } from '../../../../src/platform/money.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { Form, Select } from '../../../kit/form.tsx';
import { Tile } from '../../../kit/lines.tsx';
import { Card, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { useBalances, useCurrency } from '../../balances.ts';
import { words } from '../../words.ts';
import { dollarsOf, inCents, Sum, sumOf, WalletTabs } from './parts.tsx';
import { Rates } from './rates.tsx';

const VAULT = 'GET /accounting/vault-balances';
const MOVED = ['GET /accounting/balances', VAULT, 'GET /payments/withdraw/eligibility'] as const;

type Row = { currencyId: string; cash: string; vault: string; cashUsd?: Units; vaultUsd?: Units };

/** All balances, the vault, and their value. */
export function Wallet() {
  const { money } = words;
  const balances = useBalances();
  const vault = useRead(VAULT, {});
  const rates = useRead('GET /exchange-rates', {}, { everyMs: 60_000 });
  return (
    <Page title={money.title} filters={<WalletTabs />}>
      <Loaded of={balances}>
        {(cash) => (
          <div className="stack">
            <Balances rows={rowsOf(cash, vault.data ?? [], rates.data ?? [])} />
            <Moves currencies={cash.map(({ currencyId }) => currencyId)} />
            <Card title={money.rates.title}>
              <Loaded of={rates}>{(all) => <Rates of={all} />}</Loaded>
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function rowsOf(
  cash: readonly { currencyId: string; amount: string }[],
  vault: readonly VaultBalance[],
  rates: readonly ExchangeRate[],
): Row[] {
  const ids = [...new Set([...cash, ...vault].map(({ currencyId }) => currencyId))];
  return ids.map((currencyId) => {
    const rate = rates.find((one) => one.currencyId === currencyId)?.usdRate;
    const inCash = cash.find((one) => one.currencyId === currencyId)?.amount ?? '0';
    const inVault = vault.find((one) => one.currencyId === currencyId)?.vaultAmount ?? '0';
    return {
      currencyId,
      cash: inCash,
      vault: inVault,
      cashUsd: dollarsOf(inCash, rate),
      vaultUsd: dollarsOf(inVault, rate),
    };
  });
}

const total = (amounts: readonly (Units | undefined)[]) =>
  inCents(amounts.reduce<Units>((sum, usd) => sum + (usd ?? 0n), 0n));

function Balances({ rows }: { rows: readonly Row[] }) {
  const { money } = words;
  return (
    <>
      <div className="tiles">
        <Tile label={money.total}>
          <Usd of={total(rows.map(({ cashUsd }) => cashUsd))} />
        </Tile>
        <Tile label={money.totalVault} below={money.vaultHint}>
          <Usd of={total(rows.map(({ vaultUsd }) => vaultUsd))} />
        </Tile>
      </div>
      <p className="actions">
        <Link href="/wallet/deposit" className="button main">
          {money.deposit.title}
        </Link>
        <Link href="/wallet/withdraw" className="button">
          {money.withdraw.title}
        </Link>
      </p>
      <Table
        rows={rows}
        columns={columns()}
        caption={money.balances}
        keyOf={({ currencyId }) => currencyId}
        empty={money.empty}
      />
    </>
  );
}

function columns(): Columns<Row> {
  const { money } = words;
  const usd = (amount: Units | undefined) => <Usd of={amount === undefined ? undefined : inCents(amount)} />;
  return [
    { head: words.frame.currency, of: (row) => row.currencyId },
    { head: money.cash, of: (row) => <Amount of={row.cash} />, end: true },
    { head: money.worth, of: (row) => usd(row.cashUsd), end: true },
    { head: money.vault, of: (row) => <Amount of={row.vault} />, end: true },
    { head: money.vaultWorth, of: (row) => usd(row.vaultUsd), end: true },
  ];
}

/** Moves money into the vault and out of it. Money in the vault cannot be staked. */
function Moves({ currencies }: { currencies: readonly string[] }) {
  const { money } = words;
  const to = useAct('POST /accounting/to-vault', { stale: MOVED, said: money.moved });
  const from = useAct('POST /accounting/from-vault', { stale: MOVED, said: money.moved });
  const { currencyId } = useCurrency();
  const [chosen, choose] = useState(currencyId);
  if (currencies.length === 0) return null;
  const fields = (label: string) => (
    <>
      <Select
        name="currencyId"
        label={words.frame.currency}
        of={currencies.map((id) => ({ value: id, label: id }))}
        value={currencies.includes(chosen) ? chosen : currencies[0]}
        onChange={(event) => choose(event.target.value)}
      />
      <Sum name="amount" label={label} />
    </>
  );
  return (
    <div className="cards">
      <Card title={money.toVault}>
        <Form
          act={to}
          input={(f) => ({ body: { currencyId: f.text('currencyId'), amount: sumOf(f, 'amount') } })}
          submit={money.toVault}
        >
          {fields(money.amount)}
        </Form>
      </Card>
      <Card title={money.fromVault}>
        <Form
          act={from}
          input={(f) => ({ body: { currencyId: f.text('currencyId'), amount: sumOf(f, 'amount') } })}
          submit={money.fromVault}
        >
          {fields(money.amount)}
        </Form>
      </Card>
    </div>
  );
}
