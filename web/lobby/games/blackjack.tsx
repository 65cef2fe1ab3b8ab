import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { formatUnits, parseUnits, units } from '../../../src/platform/money.ts';
import { Refusal } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { useExclusion } from '../exclusion.ts';
import { words } from '../words.ts';
import './blackjack.css';
import { cardWords, Hand } from './cards.tsx';
import { Game, roundOf } from './game.tsx';
import { paidWords } from './outcome.ts';
import { useResume } from './resume.ts';
import { StakePanel } from './stake.tsx';
import { beat, useBet } from './use-bet.ts';

type State = NonNullable<Answer<'GET /casino/games/house/blackjack/getActiveState'>['data']>;
const ACTIONS = ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'] as const;
/** Actions that need no additional stake. Excluded players may use only these. */
const FREE: readonly Action[] = ['HIT', 'STAND'];
type Action = (typeof ACTIONS)[number];
const isAction = (action: string): action is Action => ACTIONS.some((one) => one === action);

/** Blackjack with one deck per round. The dealer draws to 16 and on soft 17. */
export function Blackjack() {
  const [sideBet, setSideBet] = useState('');
  const config = useRead('GET /casino/games/house/blackjack/config', {}, { staleMs: 60_000 });
  const hand = useHand();
  const { state } = hand;
  const isOpen = state?.status === 'PLAYER_TURN';
  const isSideBet = sideBet === '' || parseUnits(sideBet) !== undefined;
  return (
    <Game
      name="blackjack"
      said={hand.said}
      betId={state?.status === 'FINISHED' ? state.betId : undefined}
      round={roundOf(hand.isAsking, isOpen)}
      panel={
        <StakePanel
          limits={config.data}
          onPlay={(stake) => hand.deal({ ...stake, sideBetAmount: sideBet === '' ? null : sideBet })}
          action={words.blackjack.deal}
          isLocked={isOpen}
          isBusy={hand.isBusy}
          isOff={isOpen || hand.isAsking || !isSideBet}
          refused={hand.refused}
        >
          <label className="field">
            <span>{words.blackjack.sideBet}</span>
            <input
              inputMode="decimal"
              autoComplete="off"
              value={sideBet}
              disabled={isOpen}
              aria-invalid={!isSideBet}
              onChange={(event) => setSideBet(event.target.value.trim().replace(',', '.'))}
            />
            <small className="dim">{words.blackjack.sideBetHint}</small>
          </label>
        </StakePanel>
      }
    >
      {hand.notAsked && <Refusal of={hand.notAsked} onRetry={hand.ask} />}
      <Felt state={state} isBusy={hand.isBusy} onAct={hand.act} />
    </Game>
  );
}

/** A round of blackjack, new or resumed, with one action after another until it ends. */
function useHand() {
  const [state, setState] = useState<State>();
  const [said, setSaid] = useState('');
  const resume = useResume('GET /casino/games/house/blackjack/getActiveState', (open) => {
    if (open?.data) {
      setState(open.data);
      setSaid(`${words.house.goesOn} ${sayOf(open.data)}`);
    } else setState((known) => (known?.status === 'FINISHED' ? known : undefined));
  });
  const betting = {
    reveal: async ({ data }: { data: State }) => {
      setState(data);
      await beat(data.status === 'FINISHED' ? 700 : 250);
    },
    say: ({ data }: { data: State }) => {
      const text = sayOf(data);
      setSaid(text);
      return text;
    },
  };
  const dealing = useBet('POST /casino/games/house/blackjack/init', betting);
  const acting = useBet('POST /casino/games/house/blackjack/handleAction', {
    ...betting,
    isFinishing: true,
  });
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
  };
  return {
    state,
    said,
    isBusy: dealing.isBusy || acting.isBusy,
    refused: dealing.refused ?? acting.refused,
    isAsking: resume.isAsking,
    notAsked: resume.refused,
    ask: resume.ask,
    deal: (body: { currencyId: string; betAmount: string; sideBetAmount: string | null }) =>
      void orAsk(dealing.play({ body })),
    act: (action: Action) => void orAsk(acting.play({ body: { action } })),
  };
}

function sayOf(state: State): string {
  const t = words.blackjack;
  const own = state.hands.map(({ cards, total }) => t.has(cards.map(cardWords).join(', '), total)).join(' ');
  const dealer = t.dealerHas(state.dealer.cards.map(cardWords).join(', '), state.dealer.total);
  if (state.status !== 'FINISHED') return `${own} ${dealer}`;
  const results = state.hands.map(({ result }) => (result ? t.results[result] : '')).join(', ');
  const side = state.sideBetResult ? ` ${t.sideBet}: ${t.pairs[state.sideBetResult]}.` : '';
  const paid = paidWords({ payout: state.payout ?? '0', betAmount: stakedOn(state) });
  return `${own} ${dealer} ${results}.${side} ${paid}`;
}

/** Returns the total stake: hands with doubled stakes, insurance and side bet. */
function stakedOn({ hands, insuranceAmount, sideBetAmount }: State): string {
  const parts = [...hands.map(({ betAmount }) => betAmount), insuranceAmount ?? '0', sideBetAmount ?? '0'];
  return formatUnits(parts.reduce((sum, part) => sum + units(part), 0n));
}

type FeltProps = { state: State | undefined; isBusy: boolean; onAct: (action: Action) => void };

function Felt({ state, isBusy, onAct }: FeltProps) {
  const t = words.blackjack;
  if (!state) return <div className="felt empty-felt" aria-hidden="true" />;
  const { dealer, hands, activeHandIndex, insuranceAmount, sideBetAmount, sideBetResult } = state;
  return (
    <div className="felt">
      <Hand title={t.dealer} cards={dealer.cards} hidden={dealer.hiddenCards} total={String(dealer.total)} />
      <div className="hands">
        {hands.map(({ cards, total, isSoft, betAmount, result, isDoubled }, index) => (
          <Hand
            // biome-ignore lint/suspicious/noArrayIndexKey: hands never change their order
            key={index}
            title={hands.length > 1 ? t.handOf(index + 1) : t.hand}
            cards={cards}
            total={isSoft ? t.soft(total) : String(total)}
            isActive={activeHandIndex === index}
            note={`${betAmount} USD${isDoubled ? ` · ${t.doubled}` : ''}`}
            result={result ? t.results[result] : undefined}
          />
        ))}
      </div>
      {(insuranceAmount || sideBetAmount) && (
        <p className="dim">
          {insuranceAmount && `${t.actions.INSURANCE} ${insuranceAmount} USD`}{' '}
          {sideBetAmount && `${t.sideBet} ${sideBetAmount} USD`}
          {sideBetResult && ` · ${t.pairs[sideBetResult]}`}
        </p>
      )}
      {state.status === 'PLAYER_TURN' && (
        <Actions
          key={state.betId}
          of={state.availableActions.filter(isAction)}
          isBusy={isBusy}
          onAct={onAct}
        />
      )}
    </div>
  );
}

type ActionsProps = { of: readonly Action[]; isBusy: boolean; onAct: (action: Action) => void };

/** The actions that the server currently allows. The first one gets the focus if no other element has the focus. */
function Actions({ of, isBusy, onAct }: ActionsProps) {
  const first = useRef<HTMLDivElement>(null);
  const isExcluded = useExclusion() !== undefined;
  const offered = isExcluded ? of.filter((action) => FREE.includes(action)) : of;
  useEffect(() => {
    if (!isBusy && document.activeElement === document.body) first.current?.querySelector('button')?.focus();
  }, [isBusy]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields, not for buttons
    <div ref={first} className="actions" role="group" aria-label={words.blackjack.yours}>
      {offered.map((action) => (
        <button key={action} type="button" className="play" disabled={isBusy} onClick={() => onAct(action)}>
          {words.blackjack.actions[action]}
        </button>
      ))}
    </div>
  );
}
