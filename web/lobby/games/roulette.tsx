import { useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import { units } from '../../../src/platform/money.ts';
import { Button } from '../../kit/button.tsx';
import { money } from '../../kit/intl.ts';
import { Pick } from '../../kit/pick/pick.tsx';
import { words } from '../words.ts';
import './colours.css';
import './roulette.css';
import { useConfig } from './play/config.ts';
import { Game } from './play/game.tsx';
import { paidWords } from './play/outcome.ts';
import { BetPanel } from './play/panel.tsx';
import { send } from './play/send.ts';
import { type Stake, withCents } from './play/stake.ts';
import { useBet } from './play/use-bet.ts';
import { CHIPS, type Chips, entriesOf, scaledTo, totalOn, useChips } from './roulette-chips.ts';
import { KINDS, type Kind } from './roulette-places.ts';
import { slideChips, Table } from './roulette-table.tsx';
import { useWheel, Wheel } from './roulette-wheel.tsx';
import { colourOf } from './wheel-order.ts';

const BET = 'POST /casino/games/house/roulette/bet';
type Result = Answer<typeof BET>;

const MOST_RECENT = 12;
/** Arrow keys move on the table. As hotkeys they move the focus there. */
const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] as const;

/** Roulette: a wheel with one zero, and chips on any positions of the table. */
export function Roulette() {
  const config = useConfig('GET /casino/games/house/roulette/config');
  const [kind, setKind] = useState<Kind>('STRAIGHT');
  const chips = useChips();
  const { wheel, table, shown, recent, reveal } = useSpin();
  const bet = useBet(BET, { reveal, say });
  const isLocked = bet.isBusy;
  const bodyOf = (stake: Stake) => {
    const laid = scaledTo(units(stake.betAmount), chips.laid);
    return { ...stake, betAmount: withCents(totalOn(laid)), params: { bets: entriesOf(laid) } };
  };
  return (
    <Game
      name="roulette"
      config={config}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.roulette.action}
          total={withCents(totalOn(chips.laid))}
          why={chips.laid.size === 0 ? words.roulette.place : undefined}
          onPlay={(stake) => {
            chips.note();
            return bet.play({ body: bodyOf(stake) });
          }}
          auto={{
            ask: (stake, count) =>
              send('POST /casino/games/house/roulette/series', { body: { ...bodyOf(stake), count } }),
            reveal,
            say,
          }}
          keys={[
            ...CHIPS.map((chip, index) => ({
              key: String(index + 1),
              text: words.roulette.chip,
              run: () => chips.setChip(chip),
            })),
            ...ARROWS.map((key) => ({
              key,
              text: words.roulette.tableName,
              run: () => table.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(),
            })),
            { key: 'z', text: words.roulette.undo, run: () => void chips.undo(), isOff: isLocked },
          ]}
        >
          <ChipChoice chips={chips} />
          <TableButtons chips={chips} isLocked={isLocked} />
          <Pick
            label={words.roulette.kind}
            options={KINDS.map((value) => ({ value, text: words.roulette.kinds[value] }))}
            value={kind}
            onChange={(next) => setKind(next as Kind)}
          />
        </BetPanel>
      }
    >
      <div className="roulette-stage">
        <div className="spun">
          <Wheel parts={wheel} label={shown === undefined ? words.roulette.wheel : landed(shown)} />
          <Landed at={shown} recent={recent} isEmpty={chips.laid.size === 0} />
        </div>
        <Table
          table={table}
          chips={chips.laid}
          kind={kind}
          hit={shown}
          onLay={(places) => !isLocked && places.length > 0 && chips.lay(places)}
          onUndo={() => !isLocked && chips.undo()}
        />
      </div>
    </Game>
  );
}

const landed = (at: number) => words.roulette.landed(at, colourOf(at));

const say = (result: Result) => `${landed(result.randomPosition)} · ${paidWords(result)}`;

/** The wheel, the number that is shown, and the numbers since the page was opened. */
function useSpin() {
  const { parts, spin } = useWheel();
  const table = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<number>();
  const [recent, setRecent] = useState<readonly { id: number; at: number }[]>([]);
  const reveal = async ({ randomPosition: at }: Result) => {
    setShown(undefined);
    await spin(at);
    setShown(at);
    setRecent((known) => [{ id: (known[0]?.id ?? 0) + 1, at }, ...known].slice(0, MOST_RECENT));
    slideChips(table.current, at);
  };
  // The wheel draws only once.
  const [wheel] = useState(parts);
  return { wheel, table, shown, recent, reveal };
}

type LandedProps = {
  at: number | undefined;
  recent: readonly { id: number; at: number }[];
  /** True without chips on the table. */
  isEmpty: boolean;
};

/** The drawn number and the previous numbers. Screen readers read them from the game's status. */
function Landed({ at, recent, isEmpty }: LandedProps) {
  const t = words.roulette;
  return (
    <div className="landed">
      {at === undefined ? (
        <div className="number none" aria-hidden="true" />
      ) : (
        <div className={`number on-${colourOf(at).toLowerCase()}`} aria-hidden="true" translate="no">
          {at}
        </div>
      )}
      <div className="facts-of">
        {at !== undefined ? (
          <strong aria-hidden="true">{factsOf(at)}</strong>
        ) : (
          isEmpty && (
            <>
              <strong>{t.place}</strong>
              <p className="dim by-mouse">{t.how}</p>
              <p className="dim by-touch">{t.howByTouch}</p>
            </>
          )
        )}
      </div>
      <ol className="numbers" aria-label={t.recent}>
        {recent.map((one, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the places stay, and the numbers move on
          <li key={index} className={`on-${colourOf(one.at).toLowerCase()}`}>
            {one.at}
          </li>
        ))}
      </ol>
    </div>
  );
}

function factsOf(at: number): string {
  const { colors, short, facts, zero } = words.roulette;
  if (at === 0) return `${colors.GREEN} · ${zero}`;
  return facts(
    colors[colourOf(at)],
    at % 2 === 1 ? short.ODD : short.EVEN,
    at <= 18 ? short.LOW : short.HIGH,
  );
}

/** The value of the chip that is placed next. */
function ChipChoice({ chips: { chip, setChip } }: { chips: Chips }) {
  return (
    <fieldset className="jetons">
      <legend className="label">
        <span>{words.roulette.chip}</span> <span>{money(chip)}</span>
      </legend>
      {CHIPS.map((one) => (
        <label key={one} className={`jeton of-${one.replace('.', '')}`}>
          <input
            type="radio"
            className="hidden"
            name="chip"
            checked={chip === one}
            aria-label={money(one)}
            onChange={() => setChip(one)}
          />
          <span aria-hidden="true">{one.replace(/^0/, '')}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TableButtons({ chips, isLocked }: { chips: Chips; isLocked: boolean }) {
  const t = words.roulette;
  const isOff = isLocked || chips.laid.size === 0;
  return (
    <div className="table-buttons">
      <Button icon="undo-2" size="sm" disabled={isLocked || !chips.canUndo} onClick={chips.undo}>
        {t.undo}
      </Button>
      <Button
        size="sm"
        aria-label={`2× ${t.double}`}
        title={t.double}
        disabled={isOff}
        onClick={chips.double}
      >
        2×
      </Button>
      {chips.canRepeat ? (
        <Button icon="rotate-ccw" size="sm" disabled={isLocked} onClick={chips.repeat}>
          {t.again}
        </Button>
      ) : (
        <Button icon="trash-2" size="sm" disabled={isOff} onClick={chips.clear}>
          {t.clear}
        </Button>
      )}
    </div>
  );
}
