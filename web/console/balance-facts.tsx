import type { Balance } from '../../client/call.ts';
import { Amount, Usd } from '../kit/amount.tsx';
import { Facts } from '../kit/page.tsx';

/** True if an amount is zero, however many decimals it has. */
export const isZero = (amount: string): boolean => /^-?0(\.0+)?$/.test(amount);

/** The balances that are not zero, with their value in US dollars. */
export function BalanceFacts({
  of,
}: {
  of: readonly Pick<Balance, 'currencyId' | 'amount' | 'usdAmount'>[];
}) {
  const held = of.filter(({ amount }) => !isZero(amount));
  if (held.length === 0) return <p className="dim">No cash balance</p>;
  return (
    <Facts
      isRows
      of={Object.fromEntries(
        held.map(({ currencyId, amount, usdAmount }) => [
          currencyId,
          <span key={currencyId}>
            <Amount of={amount} />{' '}
            <span className="dim">
              · <Usd of={usdAmount} />
            </span>
          </span>,
        ]),
      )}
    />
  );
}
