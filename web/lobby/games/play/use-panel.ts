import { type ReactNode, use, useEffect, useState } from 'react';
import { parseUnits } from '../../../../src/platform/money.ts';
import { changed } from '../../../kit/form/amount.ts';
import { words } from '../../words.ts';
import { type Auto, isAutoClosed, useAuto } from './auto.ts';
import { GameName } from './context.ts';
import { type Hotkey, useHotkeys } from './hotkeys.ts';
import type { Ended } from './levels.ts';
import { isReached, useTightestLimit } from './limits.tsx';
import type { Move } from './main-button.tsx';
import { skipReveal } from './motion.ts';
import type { Plan } from './plan.ts';
import { type Limits, type Stake, useStake } from './stake.ts';
import { autoplay, type Bet } from './use-bet.ts';

export type BetPanelProps<B extends Ended> = {
  /** The result of `useBet`, or of `together` for a game with rounds. */
  bet: Bet;
  /** The game's range of bets. Undefined while it loads. */
  limits: Limits | undefined;
  /** The button, such as “Roll dice”. */
  action: string;
  onPlay: (stake: Stake) => unknown;
  /** Why no bet is possible now, for example because no number is chosen. */
  why?: string | undefined;
  /** The button while a round is open. The fields are locked then. */
  move?: Move | undefined;
  /** The buttons of an open round with several moves. They replace the main button, and the fields are locked. */
  moves?: ReactNode;
  /** Locks the fields although there is no move. */
  isLocked?: boolean;
  /** The bet amount, if the game determines it, such as the chips on a table. */
  total?: string;
  /** The multiplier of a win, for the profit on a win. */
  multiplier?: number | undefined;
  /** How to play a series of bets. Without it there is no Auto tab. */
  auto?: Auto<B>;
  /** Called when the Auto tab is opened or closed, for games whose stage depends on it. */
  onAuto?: (isAuto: boolean) => void;
  /** A second move of an open round, below the main button. */
  more?: ReactNode;
  /** Hotkeys of the game, in addition to those of the panel. */
  keys?: readonly Hotkey[];
  /** The game's fields. */
  children?: ReactNode;
};

/** The state of a player's panel: the bet amount, the Auto tab, the series of bets, and the effect of the main button. */
export function usePanel<B extends Ended>(props: BetPanelProps<B>) {
  const { limits, onPlay, why, move, moves, isLocked = false, total, auto, onAuto } = props;
  const isOpen = move !== undefined || moves !== undefined || isLocked;
  const amount = useStake(total, limits, isOpen);
  const [plan, setPlan] = useState<Plan>();
  const series = useAuto(use(GameName), auto);
  // The button is free when the bets of a series before a reload are known.
  const bet: Bet = series.isPending ? { ...props.bet, phase: 'unknown', isBusy: true } : props.bet;
  const [isAutoTab, setAuto] = useMode(auto !== undefined);
  useEffect(() => onAuto?.(isAutoTab), [isAutoTab, onAuto]);
  const isAuto = isAutoTab && !isOpen;
  const isFixed = autoplay.use() || isOpen;
  const limit = useTightestLimit();
  const stopped = limit && !isOpen && isReached(limit, amount.wanted) ? limit : undefined;
  const problem = amount.problem ?? why;
  const canStart = problem === undefined && stopped === undefined;
  const play = () => {
    if (move) return void move.run();
    if (!canStart) return;
    amount.keep();
    if (!isAuto) return void onPlay(amount.stake);
    if (plan)
      void series.start(amount.stake, { ...plan, maxBet: limits && parseUnits(String(limits.maxBet)) });
  };
  const press = () => {
    if (moves !== undefined) return;
    if (series.isRunning) series.stop();
    else if (bet.phase === 'revealing' && !bet.canAdd) isAutoClosed.get() || skipReveal();
    else if (bet.phase === 'ready' || bet.canAdd) play();
  };
  const change = (next: string | undefined) => {
    if (next === undefined || isFixed || total !== undefined) return;
    bet.forget();
    series.forget();
    amount.change(next);
  };
  const keys = keysOf(props, { press, change, betAmount: amount.betAmount });
  useHotkeys(keys);
  return {
    bet,
    amount,
    setPlan,
    series,
    isAuto,
    setAuto,
    isOpen,
    isFixed,
    limit,
    stopped,
    press,
    change,
    keys,
    isOff: !(move ? !move.isOff : canStart && (!isAuto || plan !== undefined)),
    /** The reason why the main button is off. */
    why: problem ?? (isAuto && !plan ? words.auto.wrong : undefined),
  };
}

/** Whether the Auto tab is open. */
function useMode(hasAuto: boolean) {
  const [isAuto, setAuto] = useState(false);
  const isClosed = isAutoClosed.use();
  return [isAuto && hasAuto && !isClosed, setAuto] as const;
}

type Presses = { press: () => void; change: (next: string | undefined) => void; betAmount: string };

/** The hotkeys of the panel and of the game. */
function keysOf<B extends Ended>(
  { action, move, moves, total, keys = [] }: BetPanelProps<B>,
  { press, change, betAmount }: Presses,
): readonly Hotkey[] {
  if (moves !== undefined) return keys;
  const panel: Hotkey[] = [{ key: move?.key ?? ' ', text: move?.name ?? action, run: press }];
  if (total === undefined && !move)
    panel.push(
      { key: 'a', text: '½', run: () => change(changed(betAmount, 'half')) },
      { key: 's', text: '2×', run: () => change(changed(betAmount, 'double')) },
    );
  return [...panel, ...keys];
}
