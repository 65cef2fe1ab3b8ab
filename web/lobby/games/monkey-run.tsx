import { useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { Button } from '../../kit/button.tsx';
import { Slider } from '../../kit/form/choice.tsx';
import { money, multiplier } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { useKept } from '../../kit/store.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import './monkey-run.css';
import { type Difficulty, useRun } from './monkey-round.ts';
import { Stage, useMonkey } from './monkey-stage.tsx';
import { useConfig } from './play/config.ts';
import { Game, roundOf } from './play/game.tsx';
import { BetPanel } from './play/panel.tsx';
import { Choice, Figure } from './play/panel-parts.tsx';

const CONFIG = 'GET /casino/games/house/monkey-run/config';
type Config = Answer<typeof CONFIG>;

const TILES = 20;
/** Tile to which autoplay runs at first. */
const FIRST_TILE = 3;

const isDifficulty = (stored: unknown): stored is Difficulty =>
  Object.hasOwn(words.monkey.difficulties, String(stored));

/** Monkey run: twenty tiles, some with traps. Each safe tile that the player reaches raises the cash-out amount. */
export function MonkeyRun() {
  const config = useConfig(CONFIG);
  const [difficulty, setDifficulty] = useKept<Difficulty>(own, 'chosen.monkey-run', ['EASY', isDifficulty]);
  const monkey = useMonkey();
  const run = useRun(monkey, difficulty);
  const { shown, isOpen, bet } = run;
  const played = isOpen ? (shown!.difficulty as Difficulty) : difficulty;
  const multipliers = shown?.multipliers ?? config?.difficulties[difficulty]?.multipliers ?? [];
  return (
    <Game
      name="monkey-run"
      config={config}
      round={roundOf(run.isAsking, isOpen)}
      panel={
        <Panel
          run={run}
          config={config}
          multipliers={multipliers}
          difficulty={played}
          onDifficulty={(next) => {
            run.clear();
            setDifficulty(next);
          }}
        />
      }
    >
      <Stage
        monkey={monkey}
        multipliers={multipliers}
        trap={shown?.isFinished ? shown.deadPoint : undefined}
        canRun={isOpen && !bet.isBusy}
        onRun={run.step}
      />
      {run.notAsked && (
        <div className="monkey-refusal">
          <Refusal of={run.notAsked} onRetry={() => void run.ask()} />
        </div>
      )}
    </Game>
  );
}

type PanelProps = {
  run: ReturnType<typeof useRun>;
  config: Config | undefined;
  multipliers: readonly number[];
  difficulty: Difficulty;
  onDifficulty: (difficulty: Difficulty) => void;
};

function Panel({ run, config, multipliers, difficulty, onDifficulty }: PanelProps) {
  const [isAuto, setAuto] = useState(false);
  const [wanted, setWanted] = useState(FIRST_TILE);
  const { bet, isOpen } = run;
  const round = isOpen ? run.shown : undefined;
  const steps = config?.difficulties[difficulty]?.steps;
  const tile = Math.min(wanted, steps ?? wanted);
  const jump = () => round && run.step(round.step + 1);
  return (
    <BetPanel
      bet={bet}
      limits={config}
      action={words.play.bet}
      why={run.isAsking ? words.board.asking : round && !round.canCashOut ? words.monkey.first : undefined}
      onPlay={run.begin}
      move={
        round && {
          label: round.canCashOut ? words.board.cashOutFor(money(round.cashOut)) : words.board.cashOut,
          name: words.board.cashOut,
          key: 'c',
          kind: 'good',
          isOff: !round.canCashOut,
          run: run.cashOut,
        }
      }
      more={
        round && (
          <Button icon="arrow-right" isWide disabled={bet.isBusy} onClick={jump}>
            {words.monkey.jumpTo(round.step + 1)}
          </Button>
        )
      }
      auto={run.auto(tile)}
      onAuto={setAuto}
      keys={round ? [{ key: 'ArrowRight', text: words.monkey.jump, run: jump, isOff: bet.isBusy }] : []}
    >
      <Choice
        label={words.monkey.difficulty}
        of={words.monkey.difficulties}
        value={difficulty}
        disabled={isOpen || bet.isBusy}
        hint={steps === undefined ? '\u00a0' : words.monkey.traps(TILES - steps, TILES)}
        onChange={onDifficulty}
      />
      {!(isAuto && !round) && <Progress multipliers={multipliers} step={round?.step ?? 0} />}
      {isAuto && !round && (
        <Slider
          name="tile"
          label={words.monkey.target}
          right={<b>{words.monkey.targetAt(tile, multiplier(multipliers[tile - 1] ?? 1))}</b>}
          min={1}
          max={steps ?? TILES - 1}
          value={tile}
          disabled={bet.isBusy}
          onChange={setWanted}
        />
      )}
    </BetPanel>
  );
}

/** The multipliers of the monkey's tile and of the next tile. */
function Progress({ multipliers, step }: { multipliers: readonly number[]; step: number }) {
  const shown = (at: number | undefined) => <b>{at === undefined ? '–' : multiplier(at)}</b>;
  return (
    <div className="pair">
      <Figure label={words.monkey.now}>{shown(step === 0 ? 1 : multipliers[step - 1])}</Figure>
      <Figure label={words.monkey.next}>{shown(multipliers[step])}</Figure>
    </div>
  );
}
