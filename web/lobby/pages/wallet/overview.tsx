import './movement.css';
import { useState } from 'react';
import type { ExchangeRate, OwnBalance, VaultBalance } from '../../../../client/call.ts';
import { parseUnits, type Units } from '../../../../src/platform/money.ts';
import { Amount, Coin, Usd } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { moment, money } from '../../../kit/intl.ts';
import { Empty, Facts, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { useBalances, useCurrency } from '../../balances.ts';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { useCoin } from './coin.ts';
import { Course } from './course.tsx';
import { dollarsOf, downToCents, useCurrencies } from './parts.tsx';

type Row = { currencyId: string; cash: string; vault: string; rate: ExchangeRate | undefined };

/** All balances, the vault, and their value. */
export function Overview() {
  const balances = useBalances();
  const vault = useRead('GET /accounting/vault-balances', {});
  const rates = useRead('GET /exchange-rates', {}, { everyMs: 60_000 });
  const { currencyId } = useCurrency();
  return (
    <Loaded of={balances} skeleton={<Waiting />}>
      {(cash) => <Balances rows={rowsOf(cash, vault.data ?? [], rates.data ?? [], currencyId)} />}
    </Loaded>
  );
}

const Waiting = () => (
  <>
    <Skeleton width="40%" height={56} />
    <Skeleton height={40} />
    <Skeleton height={52} />
    <Skeleton height={52} />
  </>
);

const hasMoney = ({ cash, vault }: Row) => Number(cash) > 0 || Number(vault) > 0;

/** Currencies with money, and the currency of play. The most valuable one comes first. */
function rowsOf(
  cash: readonly OwnBalance[],
  vault: readonly VaultBalance[],
  rates: readonly ExchangeRate[],
  played: string,
): Row[] {
  const ids = [...new Set([...cash, ...vault].map(({ currencyId }) => currencyId))];
  return ids
    .map((currencyId) => ({
      currencyId,
      cash: cash.find((one) => one.currencyId === currencyId)?.amount ?? '0',
      vault: vault.find((one) => one.currencyId === currencyId)?.vaultAmount ?? '0',
      rate: rates.find((one) => one.currencyId === currencyId),
    }))
    .filter((row) => row.currencyId === played || hasMoney(row))
    .toSorted((a, b) => Number((worthOf(b.cash, b) ?? 0n) - (worthOf(a.cash, a) ?? 0n)));
}

const total = (amounts: readonly (Units | undefined)[]) =>
  downToCents(amounts.reduce<Units>((sum, usd) => sum + (usd ?? 0n), 0n));
const worthOf = (amount: string, { rate }: Row) => dollarsOf(amount, rate?.usdRate);

function Balances({ rows }: { rows: readonly Row[] }) {
  const { overview, deposit, withdraw, vault } = words.money;
  const link = useOverlayLink();
  const inVault = total(rows.map((row) => worthOf(row.vault, row)));
  const all = total(rows.flatMap((row) => [worthOf(row.cash, row), worthOf(row.vault, row)]));
  if (!rows.some(hasMoney))
    return (
      <Empty
        art="no-money"
        title={overview.empty}
        action={
          <ButtonLink to={link('wallet', 'deposit')} kind="main" icon="plus">
            {deposit.title}
          </ButtonLink>
        }
      >
        {overview.emptyHint}
      </Empty>
    );
  return (
    <>
      <div className="total">
        <span className="dim sm">{overview.total}</span>
        <strong>
          <Usd of={all} />
        </strong>
        {Number(inVault) > 0 && <span className="dim sm">{overview.ofIt(money(inVault))}</span>}
      </div>
      <div className="thirds">
        <ButtonLink to={link('wallet', 'deposit')} kind="main" icon="arrow-down-to-line">
          {deposit.title}
        </ButtonLink>
        <ButtonLink to={link('wallet', 'withdraw')} icon="arrow-up-from-line">
          {withdraw.title}
        </ButtonLink>
        <ButtonLink to={link('wallet', 'vault')} icon="vault">
          {vault.title}
        </ButtonLink>
      </div>
      <section className="recent" aria-label={overview.balances}>
        {rows.map((row) => (
          <Balance key={row.currencyId} of={row} />
        ))}
      </section>
    </>
  );
}

/** One currency. It opens to its rate, with the chart of its price, and to what can be done with it. */
function Balance({ of: row }: { of: Row }) {
  const { overview } = words.money;
  const { data } = useCurrencies();
  const [isOpen, setOpen] = useState(false);
  const { linkTo } = useCoin([row.currencyId]);
  const { currencyId, cash, vault, rate } = row;
  const usd = worthOf(cash, row);
  return (
    <details className="movement" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Coin of={currencyId} size={24} />
        <strong translate="no">{currencyId}</strong>
        <span className="faint sm name">{data?.find(({ id }) => id === currencyId)?.name}</span>
        <span className="end">
          <strong>
            <Amount of={cash} in={currencyId} />
          </strong>
          {usd !== undefined && currencyId !== 'USD' && (
            <small className="faint">
              <Usd of={downToCents(usd)} />
            </small>
          )}
        </span>
        <Icon name="chevron-down" size={16} />
      </summary>
      {isOpen && (
        <div className="stack">
          <Facts
            isRows
            of={{
              [overview.balance]: <Amount of={cash} in={currencyId} />,
              [overview.inVault]: <Amount of={vault} in={currencyId} />,
              ...(rate && { [overview.rate]: <RateOf of={rate} /> }),
            }}
          />
          <Course currencyId={currencyId} />
          <div className="thirds">
            <ButtonLink to={linkTo(currencyId, 'deposit')}>{overview.deposit(currencyId)}</ButtonLink>
            {(parseUnits(cash) ?? 0n) > 0n && (
              <ButtonLink to={linkTo(currencyId, 'withdraw')}>{overview.withdraw(currencyId)}</ButtonLink>
            )}
          </div>
        </div>
      )}
    </details>
  );
}

const RateOf = ({ of: { currencyId, usdRate, stale, updatedAt } }: { of: ExchangeRate }) => (
  <>
    {words.money.overview.rateOf(currencyId, money(usdRate))}
    {stale && <small className="warn"> {words.money.overview.stale(moment(updatedAt))}</small>}
  </>
);
