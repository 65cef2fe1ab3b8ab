import { useEffect, useState } from 'react';
import type { Input, WithdrawEstimate } from '../../../../client/call.ts';
import { Amount, Usd } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { serverNow } from '../../../kit/clock.ts';
import { CodeField } from '../../../kit/form/field.tsx';
import { Fields } from '../../../kit/form/form.tsx';
import { money } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Facts, takeFocus } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { words } from '../../words.ts';

const CHANGED = [
  'GET /payments/withdraw',
  'GET /payments/withdraw/eligibility',
  'GET /accounting/balances',
] as const;

type Asked = Input<'POST /payments/withdraw'>['body'];

/** A withdrawal without its quote and its code, which differ if the player repeats the order. */
export type Order = Omit<Asked, 'quoteId' | 'mfaCode'>;

const orderOf = ({ body: { quoteId: _, mfaCode: __, ...order } }: { body: Asked }): Order => order;

type ReviewProps = {
  order: Order;
  network: string;
  quote: WithdrawEstimate;
  needsCode: boolean;
  /** The player has not used the address before. */
  isNew: boolean;
  isPricing: boolean;
  onRenew: () => void;
  onBack: () => void;
  onAsked: (id: string) => void;
};

/** Shows amount, fee and recipient before the withdrawal is requested. With a second factor, each withdrawal needs a new code. */
export function Review(props: ReviewProps) {
  const { order, network, quote, needsCode, isNew, isPricing, onRenew, onBack, onAsked } = props;
  const { withdraw } = words.money;
  const ask = useAct('POST /payments/withdraw', { stale: CHANGED, orderOf });
  const seconds = useSecondsUntil(quote.expiresAt);
  const isExpired = seconds === 0 || ask.refused?.code === 'QUOTE_EXPIRED';
  const { currencyId } = order;
  const renew = () => {
    ask.forget();
    onRenew();
  };
  return (
    <Fields
      refused={isExpired ? undefined : ask.refused}
      onSend={async ({ text }) => {
        const mfaCode = needsCode ? { mfaCode: text('mfaCode') } : {};
        const done = await ask.run({ body: { ...order, quoteId: quote.quoteId, ...mfaCode } });
        if (done) onAsked(done.answer.id);
      }}
    >
      <h3 ref={takeFocus} tabIndex={-1}>
        {withdraw.confirm}
      </h3>
      <div className="well">
        <Facts
          isRows
          of={{
            [words.money.amount]: <Amount of={quote.amount} in={currencyId} />,
            [withdraw.fee]: <Amount of={quote.fee} in={currencyId} />,
            [withdraw.receive]: (
              <span className="big">
                <Amount of={quote.receiveAmount} in={currencyId} />
              </span>
            ),
            [withdraw.value]: <Usd of={quote.usdAmount} />,
            [words.money.network]: network,
            [withdraw.to]: <code translate="no">{order.recipientAddress}</code>,
            ...(order.recipientMemo && {
              [withdraw.memo]: <code translate="no">{order.recipientMemo}</code>,
            }),
          }}
        />
      </div>
      {isNew && <Note icon="clock">{withdraw.newAddress}</Note>}
      <Note kind="warn">{isExpired ? withdraw.expired : withdraw.final}</Note>
      {needsCode && <CodeField label={words.entry.code} />}
      {isExpired ? (
        <Button kind="main" size="lg" isWide isBusy={isPricing} onClick={renew}>
          {withdraw.renew}
        </Button>
      ) : (
        <Button type="submit" kind="main" size="lg" isWide isBusy={ask.isBusy}>
          {withdraw.send(money(quote.amount, currencyId))}
        </Button>
      )}
      <p className="line between">
        <button type="button" className="link sm" onClick={onBack}>
          {withdraw.back}
        </button>
        {!isExpired && <span className="faint sm">{withdraw.valid(seconds)}</span>}
      </p>
    </Fields>
  );
}

/** Counts down to a time. */
function useSecondsUntil(at: string): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((Date.parse(at) - now) / 1000));
}
