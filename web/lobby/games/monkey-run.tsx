import { useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { units } from '../../../src/platform/money.ts';
import { Amount } from '../../kit/amount.tsx';
import { Refusal } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { useSettledBet } from '../room.ts';
import { words } from '../words.ts';
import './monkey-run.css';
import { Game, roundOf } from './game.tsx';
import { paidWords } from './outcome.ts';
import { useResume } from './resume.ts';
import { useRoving } from './roving.ts';
import { StakePanel } from './stake.tsx';
import { beat, useBet } from './use-bet.ts';

type State = Answer<'GET /casino/games/house/monkey-run/game'>;
const DIFFICULTIES = ['EASY', 'MEDIUM', 'HARD', 'EXPERT'] as const;
type Difficulty = (typeof DIFFICULTIES)[number];

const TILES = 20;
const COLUMNS = 5;

/** Monkey run: twenty tiles, some with traps. Each safe tile that the player reaches raises the cash-out amount. */
export function MonkeyRun() {
  const [difficulty, setDifficulty] = useState<Difficulty>('EASY');
  const config = useRead('GET /casino/games/house/monkey-run/config', {}, { staleMs: 60_000 });
  const betId = useSettledBet('monkey-run');
  const run = useRun();
  const { round } = run;
  const isOpen = round !== undefined && !round.isFinished;
  const offered = config.data?.difficulties[difficulty]?.multipliers ?? [];
  const multipliers = round?.multipliers ?? offered;
  const next = multipliers[round?.step ?? 0];
  return (
    <Game
      name="monkey-run"
      said={run.said}
      betId={betId}
      round={roundOf(run.isAsking, isOpen)}
      panel={
        <StakePanel
          limits={config.data}
          onPlay={(stake) => (isOpen ? run.step(round.step + 1) : run.begin(stake, difficulty))}
          action={isOpen && next !== undefined ? words.monkey.step(next) : undefined}
          isLocked={isOpen}
          isBusy={run.isBusy}
          isOff={run.isAsking}
          refused={run.refused}
        >
          {isOpen ? (
            <>
              <p>
                {words.monkey.profit} <Amount of={round.nextStepProfit} in="USD" />
              </p>
              <button type="button" disabled={!round.canCashOut || run.isBusy} onClick={() => run.cashOut()}>
                {words.monkey.cashOut(round.cashOut)}
              </button>
            </>
          ) : (
            <label className="field">
              <span>{words.monkey.difficulty}</span>
              <select
                value={difficulty}
                onChange={(event) => {
                  run.clear();
                  setDifficulty(event.target.value as Difficulty);
                }}
              >
                {DIFFICULTIES.map((one) => (
                  <option key={one} value={one}>
                    {words.house.risks[one]}
                  </option>
                ))}
              </select>
            </label>
          )}
        </StakePanel>
      }
    >
      {run.notAsked && <Refusal of={run.notAsked} onRetry={run.ask} />}
      <Tiles multipliers={multipliers} round={round} canRun={isOpen && !run.isBusy} onRun={run.step} />
    </Game>
  );
}

/** A round of monkey run, new or resumed, with one step after another until it ends. */
function useRun() {
  const [round, setRound] = useState<State>();
  const [said, setSaid] = useState('');
  const spoken = (text: string) => {
    setSaid(text);
    return text;
  };
  const resume = useResume('GET /casino/games/house/monkey-run/game', (open) => {
    // Keeps a finished round visible.
    setRound((known) => open ?? (known?.isFinished ? known : undefined));
    if (open) setSaid(words.house.goesOn);
  });
  const reveal = async (state: State) => {
    setRound(state);
    await beat(250);
  };
  const start = useBet('POST /casino/games/house/monkey-run/bet', {
    reveal,
    say: () => spoken(words.monkey.begun),
  });
  const stepping = useBet('POST /casino/games/house/monkey-run/play', {
    isFinishing: true,
    reveal,
    say: (state) => spoken(state.isFinished ? endWords(state) : words.monkey.safe(state.step, state.cashOut)),
  });
  const leaving = useBet('PUT /casino/games/house/monkey-run/cash-out', {
    isFinishing: true,
    reveal,
    say: (state) => spoken(endWords(state)),
  });
  const orAsk = async (played: Promise<unknown>) => {
    if ((await played) === undefined) await resume.ask();
  };
  return {
    round,
    said,
    isBusy: start.isBusy || stepping.isBusy || leaving.isBusy,
    refused: start.refused ?? stepping.refused ?? leaving.refused,
    isAsking: resume.isAsking,
    notAsked: resume.refused,
    ask: resume.ask,
    clear: () => setRound(undefined),
    begin: (stake: { currencyId: string; betAmount: string }, difficulty: Difficulty) =>
      void orAsk(start.play({ body: { ...stake, difficulty } })),
    step: (makeStep: number) => void orAsk(stepping.play({ body: { makeStep } })),
    cashOut: () => void orAsk(leaving.play({ body: {} })),
  };
}

function endWords({ cashOut, betAmount, deadPoint }: State): string {
  const paid = paidWords({ payout: cashOut, betAmount });
  const trap = deadPoint === undefined ? '' : words.monkey.trap(deadPoint);
  return units(cashOut) === 0n ? `${trap} ${paid}` : `${paid} ${trap}`;
}

type TilesProps = {
  multipliers: readonly number[];
  round: State | undefined;
  canRun: boolean;
  onRun: (tile: number) => void;
};

function Tiles({ multipliers, round, canRun, onRun }: TilesProps) {
  const { onKeyDown, cell } = useRoving(TILES, COLUMNS);
  const step = round?.step ?? 0;
  const dead = round?.isFinished ? round.deadPoint : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a row of tiles
    <div className="tiles-row" role="group" aria-label={words.monkey.tiles} onKeyDown={onKeyDown}>
      {Array.from({ length: TILES }, (_, i) => i + 1).map((tile) => {
        const multiplier = multipliers[tile - 1];
        const isTrap = tile === dead;
        const isHere = round !== undefined && tile === step;
        const canPress = canRun && tile > step && multiplier !== undefined;
        const state = isTrap ? words.monkey.isTrap : isHere ? words.monkey.isHere : '';
        return (
          <button
            key={tile}
            type="button"
            {...cell(tile - 1)}
            className={`${isTrap ? 'trap' : ''} ${tile <= step ? 'passed' : ''} ${isHere ? 'here' : ''}`}
            aria-disabled={!canPress}
            aria-label={`${words.monkey.tile(tile, multiplier)} ${state}`}
            onClick={() => canPress && onRun(tile)}
          >
            {isHere ? <Monkey /> : <span aria-hidden="true">{isTrap ? '✕' : tile}</span>}
            <small aria-hidden="true">{multiplier === undefined ? '–' : `${multiplier} ×`}</small>
          </button>
        );
      })}
    </div>
  );
}

const Monkey = () => (
  <svg className="monkey" viewBox="-12 -12 24 24" aria-hidden="true">
    <circle className="fur" cx="-8" cy="-1" r="3.5" />
    <circle className="fur" cx="8" cy="-1" r="3.5" />
    <circle className="fur" r="8.5" />
    <ellipse className="face" cy="2.5" rx="6" ry="5" />
    <circle className="face" cx="-2.8" cy="-2" r="2.8" />
    <circle className="face" cx="2.8" cy="-2" r="2.8" />
    <circle className="eye" cx="-2.5" cy="-1.6" r="1.1" />
    <circle className="eye" cx="2.5" cy="-1.6" r="1.1" />
    <path className="smile" d="M-3 4 Q0 6.5 3 4" />
  </svg>
);
