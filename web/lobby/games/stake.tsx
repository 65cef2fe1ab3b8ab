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

/** What is bet: US dollars, taken in a currency. */
export type Stake = { currencyId: string; betAmount: string };

type Limits = { minBet: number; maxBet: number; maxProfit: number };

export type StakePanelProps = {
  /** Plays once; answers whether it was taken. */
  onPlay: (stake: Stake) => unknown;
  isBusy: boolean;
  refused: Refused | undefined;
  /** What the button says; else that it bets. */
  action?: string;
  /** The stake cannot be changed: a round is open. */
  isLocked?: boolean;
  /** Why nothing can be bet at this moment. */
  isOff?: boolean;
  /** The range of stakes and the most that one may win, as the game's configuration says. */
  limits: Limits | undefined;
  /** What is chosen beside the stake. */
  children?: ReactNode;
  /** The stake, where it is put together elsewhere: chips on a table. */
  total?: string;
  /** Below the button: many bets, one after the other. Without a stake nothing can be bet now. */
  more?: (stake: Stake | undefined) => ReactNode;
};

const CENT = ONE / 100n;
const lastStake = () => local.get('stake') ?? '1';

/** The stake that all games share: how much, in which currency, what is left of one's limits. Space and Enter on the button play. */
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

/** Why this cannot be staked. `worth`: what there is to stake; undefined: that is not asked. */
function problemOf(stake: string, worth: Units | undefined): string | undefined {
  const betAmount = parseUnits(stake);
  if (betAmount === undefined) return words.play.notAnAmount;
  return worth !== undefined && betAmount > worth ? words.play.tooLittle : undefined;
}

/** Where the last outcome was shown the focus stays: the next press is the next bet. */
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
  /** It is put together elsewhere. */
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

/** What a balance is worth in US dollars; undefined until it is known. */
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

/** What is left of every limit that one has set. */
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
