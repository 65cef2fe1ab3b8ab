import { useEffect, useRef, useState } from 'react';
import { parseUnits, units } from '../../../src/platform/money.ts';
import { Button } from '../../kit/button.tsx';
import { Kbd } from '../../kit/figures.tsx';
import { AmountInput } from '../../kit/form/amount-field.tsx';
import type { IconName } from '../../kit/icon.tsx';
import { Refusal } from '../../kit/note.tsx';
import { useExclusion } from '../exclusion.ts';
import { words } from '../words.ts';
import './blackjack.css';
import { ACTIONS, type Action, costWords, type Round } from './blackjack-deal.ts';
import { Felt } from './blackjack-felt.tsx';
import { useRound } from './blackjack-round.ts';
import { useConfig } from './play/config.ts';
import { Game, roundOf } from './play/game.tsx';
import { useHotkeysOn } from './play/hotkeys.ts';
import { BetPanel } from './play/panel.tsx';
import { withCents } from './play/stake.ts';

const KEYS: Readonly<Record<Action, string>> = {
  HIT: 'h',
  STAND: 's',
  DOUBLE: 'd',
  SPLIT: 'p',
  INSURANCE: 'i',
};
const ICONS: Readonly<Partial<Record<Action, IconName>>> = { HIT: 'plus', STAND: 'hand', SPLIT: 'split' };
/** Actions that need no additional stake. Excluded players may use only these. */
const FREE: readonly Action[] = ['HIT', 'STAND'];

/** Blackjack with one deck per round. The dealer draws to 16 and on soft 17. */
export function Blackjack() {
  const config = useConfig('GET /casino/games/house/blackjack/config');
  const [sideBet, setSideBet] = useState('');
  const hand = useRound();
  const { round, isOpen, bet } = hand;
  const allowed = useAllowed(isOpen ? round : undefined);
  const isSideBet = sideBet === '' || parseUnits(sideBet) !== undefined;
  useFocusAfterRound(isOpen);
  const costs = isOpen && round ? costWords(round) : undefined;
  return (
    <Game
      name="blackjack"
      config={config}
      round={roundOf(hand.isAsking, isOpen)}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.blackjack.deal}
          {...(isOpen && round && { total: withCents(units(round.betAmount)) })}
          why={whyNot(hand.isAsking, isSideBet)}
          onPlay={(stake) => hand.deal({ ...stake, sideBetAmount: sideBet === '' ? null : sideBet })}
          moves={
            isOpen ? (
              <Moves
                allowed={allowed}
                isReady={bet.phase === 'ready'}
                pressed={hand.pressed}
                costs={costs}
                onAct={hand.act}
              />
            ) : undefined
          }
          keys={
            isOpen
              ? allowed.map((action) => ({
                  key: KEYS[action],
                  text: words.blackjack.actions[action],
                  run: () => hand.act(action),
                  isOff: bet.phase !== 'ready',
                }))
              : []
          }
        >
          <AmountInput
            name="sideBet"
            label={words.blackjack.sideBet}
            right={words.blackjack.optional}
            hint={words.blackjack.sideBetHint}
            currency="USD"
            value={sideBet}
            onChange={setSideBet}
          />
        </BetPanel>
      }
    >
      {hand.notAsked && <Refusal of={hand.notAsked} onRetry={hand.ask} />}
      <Felt round={round} landed={hand.landed} isOver={hand.isOver} felt={hand.felt} />
    </Game>
  );
}

function whyNot(isAsking: boolean, isSideBet: boolean): string | undefined {
  if (isAsking) return words.blackjack.asking;
  return isSideBet ? undefined : words.blackjack.wrongSideBet;
}

/** The actions that the player may use now. */
function useAllowed(round: Round | undefined): readonly Action[] {
  const isExcluded = useExclusion() !== undefined;
  const offered = ACTIONS.filter((action) => round?.availableActions.includes(action));
  return isExcluded ? offered.filter((action) => FREE.includes(action)) : offered;
}

/** Moves the focus to the main button when a round has ended, because the buttons of the round are gone. */
function useFocusAfterRound(isOpen: boolean): void {
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const isEnd = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (isEnd && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.panel .play')?.focus({ preventScroll: true });
  }, [isOpen]);
}

type MovesProps = {
  allowed: readonly Action[];
  isReady: boolean;
  pressed: Action | undefined;
  /** The cost of some of the actions. */
  costs: string | undefined;
  onAct: (action: Action) => void;
};

/** The buttons of an open round. The first one gets the focus if no other element has it, so that the round goes on by keyboard. */
function Moves({ allowed, isReady, pressed, costs, onAct }: MovesProps) {
  const group = useRef<HTMLDivElement>(null);
  const hasKeys = useHotkeysOn();
  const shown = ACTIONS.filter((action) => action !== 'INSURANCE' || allowed.includes(action));
  const wasReady = useRef(isReady);
  useEffect(() => {
    const isBack = isReady && !wasReady.current;
    wasReady.current = isReady;
    if (isBack && document.activeElement === document.body)
      group.current?.querySelector<HTMLElement>('button:enabled')?.focus({ preventScroll: true });
  }, [isReady]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields, not for buttons
    <div
      ref={group}
      className="blackjack-moves"
      role="group"
      aria-label={words.blackjack.moves}
      aria-busy={!isReady}
    >
      {shown.map((action) => (
        <Button
          key={action}
          {...(action === 'HIT' && { kind: 'main' as const })}
          {...(ICONS[action] && { icon: ICONS[action] })}
          className={action.toLowerCase()}
          isBusy={pressed === action}
          disabled={!isReady || !allowed.includes(action)}
          onClick={() => onAct(action)}
        >
          {action === 'DOUBLE' && <b aria-hidden="true">2×</b>}
          {words.blackjack.actions[action]}
          {hasKeys && <Kbd>{KEYS[action].toUpperCase()}</Kbd>}
        </Button>
      ))}
      {costs && <p className="xs dim">{costs}</p>}
    </div>
  );
}
