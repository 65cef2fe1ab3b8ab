import { type ReactNode, useEffect, useRef } from 'react';
import { Button, ButtonLink } from '../../../kit/button.tsx';
import { useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import type { Bet } from './use-bet.ts';

/** The next move of an open round. */
export type Move = {
  label: ReactNode;
  /** The move in one or two words, beside its hotkey. */
  name: string;
  /** The hotkey. The default is Space. */
  key?: string;
  run: () => unknown;
  /** `good` for a cash-out. */
  kind?: 'main' | 'good';
  isOff?: boolean;
};

type MainButtonProps =
  | { isVisitor: true }
  | {
      isVisitor?: false;
      bet: Bet;
      action: string;
      move?: Move | undefined;
      /** The second move of an open round. */
      more?: ReactNode;
      /** The series of bets, if the Auto tab is open. */
      series: { isRunning: boolean; isEnding: boolean } | undefined;
      isOff: boolean;
      why: string | undefined;
      /** True if the balance is lower than the bet amount. The wallet is offered then. */
      isShort: boolean;
    };

/** The one button of a game. It shows the state of the bet, and in a round the next move. */
export function MainButton(props: MainButtonProps) {
  return props.isVisitor ? <VisitorButton /> : <PlayerButton {...props} />;
}

function VisitorButton() {
  const link = useOverlayLink();
  return (
    <div className="bet">
      <ButtonLink to={link('account', 'sign-up')} kind="main" size="lg" isWide>
        {words.table.signUp}
      </ButtonLink>
    </div>
  );
}

function PlayerButton({
  bet,
  action,
  move,
  more,
  series,
  isOff,
  why,
  isShort,
}: Exclude<MainButtonProps, { isVisitor: true }>) {
  const isStop = series?.isRunning === true;
  const isBusy = !isStop && (bet.phase === 'busy' || bet.phase === 'unknown');
  const isRevealing = !isStop && bet.phase === 'revealing' && !bet.canAdd;
  const button = useFocusAfterBet(isBusy);
  const link = useOverlayLink();
  const label = series ? (isStop ? words.auto.stop : words.auto.start) : (move?.label ?? action);
  return (
    <div className="bet" ref={button}>
      <Button
        type="submit"
        kind={isStop ? 'line' : (move?.kind ?? 'main')}
        size="lg"
        isWide
        isBusy={isBusy || (isStop && series.isEnding)}
        className={isRevealing ? 'play revealing' : 'play'}
        disabled={!isStop && !isRevealing && isOff}
        // The focus comes back by script after a bet. Players who press with a pointer need no ring for it.
        onPointerDown={({ currentTarget }) => Object.assign(currentTarget.dataset, { by: 'pointer' })}
        onKeyDown={({ currentTarget }) => Object.assign(currentTarget.dataset, { by: 'key' })}
        title={isRevealing ? words.table.skip : isOff && !isBusy && !isStop ? why : undefined}
      >
        {label}
      </Button>
      {more && <div className="more">{more}</div>}
      {isShort && (
        <ButtonLink to={link('wallet', 'deposit')} isWide>
          {words.table.deposit}
        </ButtonLink>
      )}
    </div>
  );
}

/**
 * Moves the focus back to the button, which loses it while it is busy, so that the next key press places the next bet. If the button is off,
 * because an open round has nothing to pay yet, the focus moves to the other move of the round.
 */
function useFocusAfterBet(isBusy: boolean) {
  const place = useRef<HTMLDivElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    const isBack = wasBusy.current && !isBusy;
    wasBusy.current = isBusy;
    if (isBack && document.activeElement === document.body)
      place.current?.parentElement
        ?.querySelector<HTMLElement>(':is(.bet, .more) button:enabled')
        ?.focus({ preventScroll: true });
  }, [isBusy]);
  return place;
}
