import { type ReactNode, useState } from 'react';
import { Refusal } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './mines.css';
import { Game, roundOf } from './game.tsx';
import { GRIDS, type GridSize, useMines } from './mines-round.ts';
import { useRoving } from './roving.ts';
import { Series } from './series.tsx';
import { StakePanel } from './stake.tsx';

/** Mines: a grid of cells, some with bombs. Each safe cell that the player opens raises the cash-out amount. */
export function Mines() {
  const [size, setSize] = useState<GridSize>(25);
  const [bombs, setBombs] = useState(3);
  const [isPicking, setPicking] = useState(false);
  const [picked, setPicked] = useState<readonly number[]>([]);
  const mines = useMines({ gridCellsCount: size, bombsCount: bombs });
  const { round } = mines;
  const change = (then: () => void) => {
    mines.clear();
    setPicked([]);
    then();
  };
  const press = (cell: number) => {
    if (round) mines.open(cell);
    else {
      mines.clear();
      setPicked(picked.includes(cell) ? picked.filter((one) => one !== cell) : [...picked, cell]);
    }
  };
  const canBegin = isPicking ? picked.length > 0 && picked.length <= size - bombs : true;
  return (
    <Game
      name="mines"
      said={mines.said}
      betId={mines.betId}
      round={roundOf(mines.isAsking, round !== undefined)}
      panel={
        <Panel mines={mines} isPicking={isPicking} picked={picked} canBegin={canBegin}>
          <Choices
            size={size}
            bombs={bombs}
            isPicking={isPicking}
            onSize={(next) =>
              change(() => {
                setSize(next);
                setBombs(Math.min(bombs, next - 1));
              })
            }
            onBombs={(next) => change(() => setBombs(next))}
            onPicking={(next) => change(() => setPicking(next))}
          />
        </Panel>
      }
    >
      {mines.notAsked && <Refusal of={mines.notAsked} onRetry={mines.ask} />}
      <Grid
        key={mines.count ?? size}
        count={mines.count ?? size}
        cells={mines.cells}
        picked={picked}
        opened={mines.hasEnded ? (picked.length > 0 ? picked : mines.opened) : undefined}
        canPress={(cell) =>
          !mines.isBusy && (round ? mines.cells[cell] === undefined : isPicking && cell < size)
        }
        onPress={press}
      />
    </Game>
  );
}

type PanelProps = {
  mines: ReturnType<typeof useMines>;
  isPicking: boolean;
  picked: readonly number[];
  canBegin: boolean;
  /** Options to select before a round. */
  children: ReactNode;
};

/** The panel with one button, which starts a round, cashes out or opens all selected cells. */
function Panel({ mines, isPicking, picked, canBegin, children }: PanelProps) {
  const config = useRead('GET /casino/games/house/mines/config', {}, { staleMs: 60_000 });
  const { round } = mines;
  return (
    <StakePanel
      limits={config.data}
      onPlay={(stake) => {
        if (round) mines.cashOut();
        else if (isPicking) mines.spin(stake, picked);
        else mines.begin(stake);
      }}
      action={
        round ? words.house.cashOut(round.currentMultiplier) : isPicking ? words.mines.openAll : undefined
      }
      isLocked={round !== undefined}
      isBusy={mines.isBusy}
      isOff={mines.isAsking || (round ? round.openedCellsCount === 0 : !canBegin)}
      refused={mines.refused}
      more={(stake) =>
        isPicking &&
        !round && (
          <Series
            stake={stake}
            ask={(of) => mines.askSpin(of, picked)}
            reveal={mines.reveal}
            say={mines.say}
            onSaid={mines.setSaid}
          />
        )
      }
    >
      {round ? <p>{words.mines.next(round.openedCellsCount, round.nextMultiplier)}</p> : children}
    </StakePanel>
  );
}

type ChoicesProps = {
  size: GridSize;
  bombs: number;
  isPicking: boolean;
  onSize: (size: GridSize) => void;
  onBombs: (bombs: number) => void;
  onPicking: (isPicking: boolean) => void;
};

function Choices({ size, bombs, isPicking, onSize, onBombs, onPicking }: ChoicesProps) {
  return (
    <>
      <label className="field">
        <span>{words.mines.size}</span>
        <select value={size} onChange={(event) => onSize(Number(event.target.value) as GridSize)}>
          {GRIDS.map((count) => (
            <option key={count} value={count}>
              {Math.sqrt(count)} × {Math.sqrt(count)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{words.mines.bombs}</span>
        <select value={bombs} onChange={(event) => onBombs(Number(event.target.value))}>
          {Array.from({ length: size - 1 }, (_, i) => i + 1).map((count) => (
            <option key={count}>{count}</option>
          ))}
        </select>
      </label>
      <label className="check">
        <input type="checkbox" checked={isPicking} onChange={(event) => onPicking(event.target.checked)} />
        {words.mines.picking}
      </label>
    </>
  );
}

type GridProps = {
  count: number;
  cells: Readonly<Record<string, 'GEM' | 'BOMB'>>;
  picked: readonly number[];
  /** The cells that the player opened, marked on a fully revealed board. */
  opened: readonly number[] | undefined;
  canPress: (cell: number) => boolean;
  onPress: (cell: number) => void;
};

const MARKS = { GEM: '◆', BOMB: '✹' } as const;

function Grid({ count, cells, picked, opened, canPress, onPress }: GridProps) {
  const columns = Math.sqrt(count);
  const { onKeyDown, cell } = useRoving(count, columns);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid
    <div className={`grid of-${columns}`} role="group" aria-label={words.mines.grid} onKeyDown={onKeyDown}>
      {Array.from({ length: count }, (_, index) => {
        const what = cells[index];
        const isPicked = picked.includes(index);
        const state = what ? words.mines.cells[what] : isPicked ? words.mines.cells.PICKED : '';
        return (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the cell
            key={index}
            type="button"
            {...cell(index)}
            className={`${what?.toLowerCase() ?? ''} ${isPicked ? 'picked' : ''} ${opened?.includes(index) === false ? 'rest' : ''}`}
            aria-disabled={!canPress(index)}
            aria-label={`${words.mines.cell(Math.floor(index / columns) + 1, (index % columns) + 1)} ${state}`}
            onClick={() => canPress(index) && onPress(index)}
          >
            <span aria-hidden="true">{what ? MARKS[what] : isPicked ? '•' : ''}</span>
          </button>
        );
      })}
    </div>
  );
}
