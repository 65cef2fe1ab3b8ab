import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Refused } from '../../../client/call.ts';
import {
  currencyToUsdDown,
  formatUnits,
  ONE,
  parseRate,
  parseUnits,
  type Units,
} from '../../../src/platform/money.ts';
import { Amount } from '../../kit/amount.tsx';
import { Refusal } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { local } from '../../kit/storage.ts';
import { useCurrency } from '../balances.ts';
import { words } from '../words.ts';
import { autoplay, quickPlay } from './use-bet.ts';

/** A stake in US dollars, and the currency from which it is debited. */
export type Stake = { currencyId: string; betAmount: string };

type Limits = { minBet: number; maxBet: number; maxProfit: number };

export type StakePanelProps = {
  /** Places one bet. Returns true if the bet was accepted. */
  onPlay: (stake: Stake) => unknown;
  isBusy: boolean;
  refused: Refused | undefined;
  /** Label of the button. The default is the text for placing a bet. */
  action?: string;
  /** Locks the stake while a round is open. */
  isLocked?: boolean;
  /** Disables the button. */
  isOff?: boolean;
  /** The range of stakes and the maximum profit from the game's configuration. */
  limits: Limits | undefined;
  /** Other options of the bet. */
  children?: ReactNode;
  /** The stake, if the player does not enter it in this panel. In roulette it is the sum of the chips on the table. */
  total?: string;
  /** Returns the controls for a series of bets, which are below the button. The stake is undefined if no bet is possible now. */
  more?: (stake: Stake | undefined) => ReactNode;
};

const CENT = ONE / 100n;
const lastStake = () => local.get('stake') ?? '1';

/** The stake panel of all games, with amount, currency and remaining limits. Space and Enter on the button place the bet. */
export function StakePanel(props: StakePanelProps) {
  const { onPlay, isBusy, refused, action = words.play.bet, isLocked = false, isOff = false } = props;
  const { total, limits, children, more } = props;
  const { currencyId, amount } = useCurrency();
  const [typed, setStake] = useState(lastStake);
  const stake = total ?? typed;
  const isAuto = autoplay.use();
  const worth = useWorth(currencyId, amount);
  const problem = problemOf(stake, isLocked ? undefined : worth);
  const button = useFocusBack(isBusy || isOff);
  return (
    <form
      className="form stake card"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem !== undefined) return;
        if (total === undefined) local.set('stake', stake);
        onPlay({ currencyId, betAmount: stake });
      }}
    >
      {refused && <Refusal of={refused} />}
      <StakeField
        stake={stake}
        problem={problem}
        isLocked={isLocked || isAuto}
        isFixed={total !== undefined}
        onChange={setStake}
      />
      {limits && (
        <small className="dim">{words.house.limits(limits.minBet, limits.maxBet, limits.maxProfit)}</small>
      )}
      <fieldset className="choices" disabled={isAuto}>
        {children}
      </fieldset>
      <button
        ref={button}
        type="submit"
        className="main play"
        disabled={isBusy || isOff || isAuto || problem !== undefined}
        aria-busy={isBusy}
      >
        {action}
      </button>
      {more?.(isBusy || isOff || problem !== undefined ? undefined : { currencyId, betAmount: stake })}
      <Quick />
      <LimitsLeft />
    </form>
  );
}

/**
 * Returns the reason why this amount cannot be staked, or undefined if it can. `worth`: the available amount, which is not checked if it is
 * undefined.
 */
function problemOf(stake: string, worth: Units | undefined): string | undefined {
  const betAmount = parseUnits(stake);
  if (betAmount === undefined) return words.play.notAnAmount;
  return worth !== undefined && betAmount > worth ? words.play.tooLittle : undefined;
}

/** Moves the focus back to the button after the outcome is shown, so that the next key press places the next bet. */
function useFocusBack(isOff: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOff && document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, [isOff]);
  return button;
}

type StakeFieldProps = {
  stake: string;
  problem: string | undefined;
  isLocked: boolean;
  /** True if the player does not enter the stake in this panel. */
  isFixed: boolean;
  onChange: (stake: string) => void;
};

function StakeField({ stake, problem, isLocked, isFixed, onChange }: StakeFieldProps) {
  const betAmount = parseUnits(stake);
  const isOff = isLocked || betAmount === undefined;
  return (
    <>
      <label className="field">
        <span>{words.play.stake} (USD)</span>
        <input
          name="betAmount"
          inputMode="decimal"
          autoComplete="off"
          value={stake}
          disabled={isLocked}
          readOnly={isFixed}
          aria-invalid={problem !== undefined}
          onChange={(event) => onChange(event.target.value.replace(',', '.'))}
        />
      </label>
      {problem && <small className="problem">{problem}</small>}
      {!isFixed && (
        <div className="actions">
          <button
            type="button"
            disabled={isOff}
            onClick={() => onChange(formatUnits((betAmount! / 2n / CENT) * CENT))}
          >
            ½
          </button>
          <button type="button" disabled={isOff} onClick={() => onChange(formatUnits(betAmount! * 2n))}>
            2×
          </button>
        </div>
      )}
    </>
  );
}

/** Returns a balance's value in US dollars, or undefined until it is known. */
function useWorth(currencyId: string, amount: string): Units | undefined {
  const { data } = useRead('GET /currency', {}, { staleMs: 60_000 });
  const usdRate = data?.find(({ id }) => id === currencyId)?.usdRate;
  const rate = usdRate === undefined ? undefined : parseRate(usdRate);
  return rate === undefined ? undefined : currencyToUsdDown(parseUnits(amount) ?? 0n, rate);
}

function Quick() {
  const [isQuick, setQuick] = useState(quickPlay.get);
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isQuick}
        onChange={(event) => {
          quickPlay.set(event.target.checked);
          setQuick(event.target.checked);
        }}
      />
      {words.play.quick}
    </label>
  );
}

/** The remaining amount of each limit that the player has set. */
function LimitsLeft() {
  const { data } = useRead('GET /user-limits/gambling-limits', {}, { everyMs: 30_000 });
  const limits =
    data?.limits.filter(({ amount, usage, type }) => amount !== null && usage && type !== 'DEPOSIT') ?? [];
  return (
    <div className="limits-left">
      {limits.map(({ id, type, period, usage }) => (
        <small key={id}>
          {words.protect.left(type, period)}{' '}
          {type === 'SESSION' ? (
            words.protect.minutes(usage!.remaining)
          ) : (
            <Amount of={usage!.remaining} in="USD" />
          )}
        </small>
      ))}
    </div>
  );
}
