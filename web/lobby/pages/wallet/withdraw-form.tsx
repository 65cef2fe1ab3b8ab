import { type Dispatch, type SetStateAction, useState } from 'react';
import type { PaymentMethod, WithdrawEligibility, WithdrawEstimate } from '../../../../client/call.ts';
import { formatUnits, parseUnits } from '../../../../src/platform/money.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { AmountInput } from '../../../kit/form/amount-field.tsx';
import { Fields } from '../../../kit/form/form.tsx';
import { money } from '../../../kit/intl.ts';
import { networkName } from '../../../kit/networks.ts';
import { Empty, Facts } from '../../../kit/page.tsx';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useAct } from '../../../kit/query.ts';
import { own } from '../../own.ts';
import { words } from '../../words.ts';
import { Fixed, useCurrencies, useDecimals, useWorth } from './parts.tsx';
import { type Draft, Recipient, useAddresses } from './recipient.tsx';
import { type Order, Review } from './withdraw-review.tsx';

/** The form field next to which each error of a quote is shown. */
const FIELD_OF = {
  RECIPIENT_ADDRESS_INVALID: 'recipientAddress',
  RECIPIENT_MEMO_INVALID: 'recipientMemo',
  AMOUNT_BELOW_FEE: 'amount',
  AMOUNT_OUT_OF_RANGE: 'amount',
};

/** A quote and the order for which it was requested. */
export type Quoted = { order: Order; of: WithdrawEstimate };

/** The quote that the player reviews, and a function that changes it. */
export type Quote = readonly [Quoted | undefined, (quoted: Quoted | undefined) => void];

type FormProps = {
  coin: string;
  may: WithdrawEligibility;
  methods: readonly PaymentMethod[];
  draft: [Draft, Dispatch<SetStateAction<Draft>>];
  quote: Quote;
  onAsked: (id: string) => void;
};

/** Checks address and amount and requests a quote with the fee, which the player then confirms. */
export function WithdrawForm(props: FormProps) {
  const { coin, may, methods, onAsked } = props;
  const [draft, setDraft] = props.draft;
  const [quote, setQuote] = props.quote;
  const [wasReviewed, setReviewed] = useState(false);
  const { withdraw } = words.money;
  const currencies = useCurrencies();
  const estimate = useAct('POST /payments/withdraw/estimate');
  // The network of the last withdrawal is most likely that of the next one.
  const key = `withdraw.${coin}`;
  const wanted = draft.networkId ?? own.get(key);
  const method = methods.find(({ networkId }) => networkId === wanted) ?? methods[0];
  const { used, isNew } = useAddresses(method?.networkId ?? '');
  if (!method) return <Empty title={withdraw.none} />;
  const nameOf = (networkId: string) => networkName(currencies.data, networkId, coin);
  const { recipientAddress, recipientMemo, amount } = draft;
  const order: Order = {
    currencyId: coin,
    networkId: method.networkId!,
    amount,
    recipientAddress,
    ...(method.memoRequired && { recipientMemo }),
  };
  const change = (part: Partial<Draft>) => {
    estimate.forget();
    setDraft((before) => ({ ...before, ...part }));
  };
  const price = async (of: Order) => {
    const done = await estimate.run({ body: of });
    // If a new quote is refused, the form shows why.
    setQuote(done && { order: of, of: done.answer });
  };
  if (quote)
    return (
      <Review
        order={quote.order}
        network={nameOf(quote.order.networkId)}
        quote={quote.of}
        needsCode={may.mfaRequired}
        isNew={isNew(quote.order.recipientAddress)}
        isPricing={estimate.isBusy}
        onRenew={() => void price(quote.order)}
        onBack={() => {
          setReviewed(true);
          setQuote(undefined);
        }}
        onAsked={(id) => {
          own.set(key, quote.order.networkId);
          onAsked(id);
        }}
      />
    );
  return (
    <Fields refused={estimate.refused} fieldOf={FIELD_OF} onSend={() => void price(order)}>
      <Networks
        coin={coin}
        methods={methods}
        value={method}
        onChange={(networkId) => change({ networkId })}
      />
      <Recipient
        method={method}
        network={nameOf(order.networkId)}
        draft={draft}
        used={used}
        isRefused={estimate.refused !== undefined}
        onChange={change}
      />
      <HowMuch
        coin={coin}
        may={may}
        method={method}
        amount={amount}
        onChange={(text) => change({ amount: text })}
      />
      <Button
        type="submit"
        kind="main"
        size="lg"
        isWide
        isBusy={estimate.isBusy}
        // The player who comes back from the review was on this button.
        autoFocus={wasReviewed}
      >
        {withdraw.review}
      </Button>
    </Fields>
  );
}

type NetworksProps = {
  coin: string;
  methods: readonly PaymentMethod[];
  value: PaymentMethod;
  onChange: (networkId: string) => void;
};

function Networks({ coin, methods, value, onChange }: NetworksProps) {
  const { network, withdraw } = words.money;
  const currencies = useCurrencies();
  const nameOf = ({ networkId }: PaymentMethod) => networkName(currencies.data, networkId!, coin);
  if (methods.length === 1) return <Fixed label={network}>{nameOf(value)}</Fixed>;
  return (
    <Pick
      label={network}
      value={value.networkId!}
      onChange={onChange}
      options={methods.map((method) => ({
        value: method.networkId!,
        text: nameOf(method),
        shown: (
          <>
            {nameOf(method)}
            {method.withdrawFee && (
              <span className="dim clip">{withdraw.feeOf(money(method.withdrawFee, coin))}</span>
            )}
          </>
        ),
      }))}
    />
  );
}

type HowMuchProps = {
  coin: string;
  may: WithdrawEligibility;
  method: PaymentMethod;
  amount: string;
  onChange: (amount: string) => void;
};

/** The amount with its limits, the fee and what arrives. */
function HowMuch({ coin, may, method, amount, onChange }: HowMuchProps) {
  const { withdraw, amount: label } = words.money;
  const worth = useWorth();
  const decimals = useDecimals(coin);
  const [least, most, fee] = [may.minAmount, may.maxAmount, method.withdrawFee ?? '0'].map(
    (text) => parseUnits(text) ?? 0n,
  ) as [bigint, bigint, bigint];
  const ofNetwork = parseUnits(method.minWithdraw ?? '0') ?? 0n;
  const minimum = ofNetwork > least ? ofNetwork : least;
  const wanted = parseUnits(amount);
  const inWords = (value: bigint) => money(formatUnits(value), coin);
  const problem =
    wanted === undefined
      ? undefined
      : wanted < minimum
        ? withdraw.below(inWords(minimum))
        : wanted > most
          ? withdraw.above(inWords(most))
          : undefined;
  return (
    <>
      <AmountInput
        label={label}
        right={withdraw.available(money(may.maxAmount, coin))}
        hint={worth(amount, coin) ?? withdraw.below(inWords(minimum))}
        value={amount}
        onChange={onChange}
        currency={coin}
        decimals={decimals}
        buttons="all"
        available={may.maxAmount}
        problem={problem}
        required
      />
      <div className="well">
        <Facts
          isRows
          of={{
            [withdraw.fee]: <Amount of={formatUnits(fee)} in={coin} />,
            [withdraw.receive]:
              wanted === undefined || wanted <= fee ? null : (
                <span className="big">
                  <Amount of={formatUnits(wanted - fee)} in={coin} />
                </span>
              ),
            ...(may.dailyRemainingUsd !== null && {
              [withdraw.left]: <Usd of={may.dailyRemainingUsd} />,
            }),
          }}
        />
      </div>
    </>
  );
}
