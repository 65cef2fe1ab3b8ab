import { Amount, Coin } from '../../kit/amount.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { Switch } from '../../kit/form/toggle.tsx';
import { figures, money } from '../../kit/intl.ts';
import { Pick } from '../../kit/pick/pick.tsx';
import { useKept } from '../../kit/store.ts';
import { useBalances, useCurrency } from '../balances.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import { useOverlayLink } from './overlay.ts';

/** The balance for play, a list of all balances, and the way to the wallet. */
export function Purse() {
  const { data = [] } = useBalances();
  const { currencyId, amount, choose } = useCurrency();
  const link = useOverlayLink();
  const [hidesZero, setHidesZero] = useSwitch('hideZeroBalances');
  const [isInUsd, setInUsd] = useSwitch('balanceInUsd');
  const current = data.find((balance) => balance.currencyId === currencyId);
  const shown = data.filter((one) => !hidesZero || one === current || Number(one.amount) > 0);
  return (
    <div className="purse">
      <Pick
        label={`${words.frame.balance}, ${currencyId}`}
        isLabelHidden
        className="balance"
        value={currencyId}
        onChange={choose}
        options={shown.map((one) => ({
          value: one.currencyId,
          text: one.currencyId,
          shown: (
            <>
              <Coin of={one.currencyId} size={24} /> {one.currencyId}
            </>
          ),
          note: (
            <span className="end">
              <span className="amount">{figures(one.amount, one.currencyId)}</span>
              <br />
              <span className="xs faint">{money(one.usdAmount)}</span>
            </span>
          ),
        }))}
        foot={
          <div className="stack tight foot">
            <Switch label={words.frame.hideZero} isOn={hidesZero} onChange={setHidesZero} />
            <Switch label={words.frame.inUsd} isOn={isInUsd} onChange={setInUsd} />
          </div>
        }
      >
        <Coin of={currencyId} />
        {isInUsd && current ? (
          <Amount of={current.usdAmount} in="USD" />
        ) : (
          <span className="amount" translate="no" title={`${amount} ${currencyId}`}>
            {figures(amount, currencyId)}
          </span>
        )}
      </Pick>
      <ButtonLink to={link('wallet', 'deposit')} kind="main" icon="wallet" label={words.frame.wallet}>
        <span className="wide-only">{words.frame.wallet}</span>
      </ButtonLink>
    </div>
  );
}

const isBoolean = (stored: unknown): stored is boolean => typeof stored === 'boolean';
const useSwitch = (key: string) => useKept(own, key, [false, isBoolean]);
