import { useState } from 'react';
import type { OwnBalance, VaultBalance } from '../../../../client/call.ts';
import { parseUnits } from '../../../../src/platform/money.ts';
import { Button } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { AmountInput } from '../../../kit/form/amount-field.tsx';
import { Fields } from '../../../kit/form/form.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { money } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { useBalances } from '../../balances.ts';
import { words } from '../../words.ts';
import { useCoin } from './coin.ts';
import { CoinPick, useDecimals, useWorth } from './parts.tsx';

const VAULT = 'GET /accounting/vault-balances';
const MOVED = ['GET /accounting/balances', VAULT, 'GET /payments/withdraw/eligibility'] as const;
const FIELD_OF = {
  INSUFFICIENT_BALANCE: 'amount',
  INSUFFICIENT_VAULT: 'amount',
  AMOUNT_OUT_OF_RANGE: 'amount',
};

/** Moves money into the vault and out of it. Money in the vault cannot be bet. */
export function Vault() {
  const balances = useBalances();
  const vault = useRead(VAULT, {});
  const waiting = (
    <>
      <Skeleton height={42} />
      <Skeleton height={62} />
      <Skeleton height={62} />
      <Skeleton height={52} />
    </>
  );
  return (
    <Loaded of={balances} skeleton={waiting}>
      {(cash) => (
        <Loaded of={vault} skeleton={waiting}>
          {(kept) => <Moves cash={cash} kept={kept} />}
        </Loaded>
      )}
    </Loaded>
  );
}

type Direction = 'in' | 'out';
type MovesProps = { cash: readonly OwnBalance[]; kept: readonly VaultBalance[] };

function Moves({ cash, kept }: MovesProps) {
  const { vault, currency } = words.money;
  const [direction, setDirection] = useState<Direction>('in');
  const cashOf = (id: string) => cash.find(({ currencyId }) => currencyId === id)?.amount ?? '0';
  const keptOf = (id: string) => kept.find(({ currencyId }) => currencyId === id)?.vaultAmount ?? '0';
  const ids = [...new Set([...cash, ...kept].map(({ currencyId }) => currencyId))];
  const { coin = '', choose } = useCoin(ids);
  const from = direction === 'in' ? cashOf : keptOf;
  return (
    <>
      <Segmented
        label={vault.direction}
        of={{ in: vault.in, out: vault.out }}
        value={direction}
        onChange={setDirection}
      />
      {coin !== '' && (
        <CoinPick
          label={currency}
          of={Object.fromEntries(ids.map((id) => [id, from(id)]))}
          value={coin}
          onChange={choose}
        />
      )}
      <Move
        key={`${coin} ${direction}`}
        coin={coin}
        direction={direction}
        available={from(coin)}
        kept={keptOf(coin)}
      />
    </>
  );
}

type MoveProps = { coin: string; direction: Direction; available: string; kept: string };

function Move({ coin, direction, available, kept }: MoveProps) {
  const { vault, amount: label } = words.money;
  const worth = useWorth();
  const decimals = useDecimals(coin);
  const [amount, setAmount] = useState('');
  const into = useAct('POST /accounting/to-vault', { stale: MOVED, said: vault.movedIn });
  const outOf = useAct('POST /accounting/from-vault', { stale: MOVED, said: vault.movedOut });
  const isIn = direction === 'in';
  const act = isIn ? into : outOf;
  const wanted = parseUnits(amount);
  const isTooMuch = wanted !== undefined && wanted > (parseUnits(available) ?? 0n);
  const inWords = wanted !== undefined && wanted > 0n ? money(amount, coin) : undefined;
  const verb = isIn
    ? inWords === undefined
      ? vault.moveIn
      : vault.moveAmountIn(inWords)
    : inWords === undefined
      ? vault.moveOut
      : vault.moveAmountOut(inWords);
  return (
    <Fields
      refused={act.refused}
      fieldOf={FIELD_OF}
      onSend={async () => {
        if (await act.run({ body: { currencyId: coin, amount } })) setAmount('');
      }}
    >
      <AmountInput
        label={label}
        right={isIn ? vault.has(money(kept, coin)) : vault.available(money(available, coin))}
        hint={worth(amount, coin)}
        value={amount}
        onChange={setAmount}
        currency={coin}
        decimals={decimals}
        buttons="all"
        available={available}
        problem={isTooMuch ? vault.tooMuch : undefined}
        required
      />
      <Note icon="vault">{vault.hint}</Note>
      <Button type="submit" kind="main" size="lg" isWide isBusy={act.isBusy}>
        {verb}
      </Button>
    </Fields>
  );
}
