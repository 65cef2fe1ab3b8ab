import { useCallback, useState } from 'react';
import { formatUnits, mulDivDown, units } from '../../../src/platform/money.ts';
import { Button } from '../../kit/button.tsx';
import { money, multiplier, number } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { Pick } from '../../kit/pick/pick.tsx';
import { useKept } from '../../kit/store.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import './mines.css';
import { Grid, Ladder } from './mines-grid.tsx';
import { type ChosenGrid, GRIDS, type GridSize, isGrid, ladderOf, rtpBpOf } from './mines-odds.ts';
import { useMines } from './mines-round.ts';
import { useConfig, useRtp } from './play/config.ts';
import { Game, roundOf } from './play/game.tsx';
import { BetPanel } from './play/panel.tsx';
import { Figure } from './play/panel-parts.tsx';
import type { Limits } from './play/stake.ts';
import { useRoving } from './roving.ts';

const SCALE = 10_000;
/** Return to player until the catalogue is loaded. */
const USUAL_RTP = 99;

/** Mines: a grid of tiles, some with mines. Each gem that the player finds raises the cash-out amount. */
export function Mines() {
  const config = useConfig('GET /casino/games/house/mines/config');
  const table = useTable();
  const { mines, grid, ladder, picked, roving, press, canPress } = table;
  const { round, ended } = mines;
  return (
    <Game
      name="mines"
      config={config}
      round={roundOf(mines.isAsking, round !== undefined)}
      panel={<Panel table={table} limits={config} />}
    >
      <div className="mines-stage">
        {mines.notAsked && <Refusal of={mines.notAsked} onRetry={() => void mines.ask()} />}
        <Grid
          key={grid.size}
          roving={roving}
          grid={mines.grid}
          count={grid.size}
          cells={mines.cells}
          opened={mines.opened}
          picked={picked}
          awaited={mines.awaited}
          roundId={ended?.isAuto ? ended.result.betId : undefined}
          canPress={canPress}
          onPress={press}
        />
        <Ladder
          of={ladder}
          gems={ended ? gemsOf(ended) : table.gems}
          mark={round ? 'now' : ended ? undefined : 'picked'}
        />
      </div>
    </Game>
  );
}

/** The grid that the player has chosen, the cells picked for autoplay, and the round. */
function useTable() {
  const rtp = useRtp('mines') ?? USUAL_RTP;
  const [chosen, setChosen] = useKept<ChosenGrid>(own, 'chosen.mines', [{ size: 25, bombs: 3 }, isGrid]);
  const [isAuto, setAuto] = useState(false);
  const [picked, setPicked] = useState<readonly number[]>([]);
  const mines = useMines({ gridCellsCount: chosen.size, bombsCount: chosen.bombs });
  const { round, bet, clear } = mines;
  const grid = round ? { size: round.gridCellsCount, bombs: round.bombsCount } : chosen;
  const opened = round?.openedCellsCount ?? 0;
  const ladder = ladderOf(grid, round ? rtpBpOf(grid, opened, round.nextMultiplier) : Math.round(rtp * 100));
  const roving = useRoving(grid.size, Math.sqrt(grid.size));
  const onAuto = useCallback((next: boolean) => {
    setAuto(next);
    setPicked([]);
  }, []);
  const change = (next: Partial<ChosenGrid>) => {
    const { size, bombs } = { ...chosen, ...next };
    setChosen({ size, bombs: Math.min(bombs, size - 1) });
    setPicked([]);
    clear();
  };
  const pick = (cell: number) => {
    clear();
    if (picked.includes(cell)) setPicked(picked.filter((one) => one !== cell));
    else if (picked.length < ladder.length) setPicked([...picked, cell]);
  };
  return {
    mines,
    grid,
    ladder,
    picked,
    isAuto,
    roving,
    onAuto,
    change,
    /** The number of gems found, or of cells picked for autoplay. */
    gems: round ? opened : picked.length,
    press: round ? mines.open : pick,
    canPress: (cell: number) => !bet.isBusy && (round ? mines.cells[cell] === undefined : isAuto),
    openRandom: () => {
      const closed = Array.from({ length: grid.size }, (_, cell) => cell).filter(
        (cell) => !mines.cells[cell],
      );
      mines.open(closed[Math.floor(Math.random() * closed.length)]!);
    },
  };
}
type Table = ReturnType<typeof useTable>;

function Panel({ table, limits }: { table: Table; limits: Limits | undefined }) {
  const { mines, grid, isAuto, picked, gems, roving } = table;
  const { round, bet } = mines;
  return (
    <BetPanel
      bet={bet}
      limits={limits}
      action={words.play.bet}
      why={whyNot(table)}
      onPlay={mines.begin}
      move={
        round && {
          label: gems > 0 ? words.board.cashOutFor(money(payoutOf(round))) : words.board.cashOut,
          name: words.board.cashOut,
          key: 'c',
          kind: 'good',
          isOff: gems === 0,
          run: mines.cashOut,
        }
      }
      more={
        round && (
          <Button icon="shuffle" isWide disabled={bet.isBusy} onClick={table.openRandom}>
            {words.mines.random}
          </Button>
        )
      }
      auto={mines.auto(picked)}
      onAuto={table.onAuto}
      keys={roving.keys(words.board.move)}
    >
      <Settings grid={grid} isLocked={round !== undefined || bet.isBusy} onChange={table.change} />
      <Progress table={table} isAuto={isAuto && !round} />
    </BetPanel>
  );
}

type Round = NonNullable<ReturnType<typeof useMines>['round']>;
type Ended = NonNullable<ReturnType<typeof useMines>['ended']>;

const payoutOf = ({ betInfo, currentMultiplier }: Round) =>
  formatUnits(
    mulDivDown(units(betInfo.betAmount), BigInt(Math.round(currentMultiplier * SCALE)), BigInt(SCALE)),
  );

const gemsOf = ({ result, opened }: Ended) => opened.filter((cell) => result.board[cell] === 'GEM').length;

function whyNot({ mines, isAuto, picked }: Table): string | undefined {
  if (mines.isAsking) return words.board.asking;
  if (mines.round) return mines.round.openedCellsCount === 0 ? words.mines.first : undefined;
  return isAuto && picked.length === 0 ? words.mines.pick : undefined;
}

type SettingsProps = {
  grid: { size: number; bombs: number };
  isLocked: boolean;
  onChange: (next: { size?: GridSize; bombs?: number }) => void;
};

const Settings = ({ grid: { size, bombs }, isLocked, onChange }: SettingsProps) => (
  <div className="pair">
    <Pick
      label={words.mines.size}
      options={GRIDS.map((count) => ({ value: String(count), text: words.mines.sides(Math.sqrt(count)) }))}
      value={String(size)}
      disabled={isLocked}
      onChange={(next) => onChange({ size: Number(next) as GridSize })}
    />
    <Pick
      label={words.mines.bombs}
      options={Array.from({ length: size - 1 }, (_, i) => ({ value: String(i + 1), text: number(i + 1) }))}
      value={String(bombs)}
      disabled={isLocked}
      onChange={(next) => onChange({ bombs: Number(next) })}
    />
  </div>
);

/** The gems found and the multiplier of the next one, or of all tiles picked for autoplay. */
function Progress({ table: { grid, gems, ladder }, isAuto }: { table: Table; isAuto: boolean }) {
  const at = ladder[isAuto ? gems - 1 : gems];
  return (
    <div className="pair">
      <Figure label={isAuto ? words.mines.picked : words.mines.found}>
        {words.mines.foundOf(gems, grid.size - grid.bombs)}
      </Figure>
      <Figure label={isAuto ? words.mines.allSafe : words.mines.next}>
        <b>{at === undefined ? '–' : multiplier(at)}</b>
      </Figure>
    </div>
  );
}
