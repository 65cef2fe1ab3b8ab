import './roulette-table.css';
import { type KeyboardEvent, type MouseEvent, memo, type RefObject, useState } from 'react';
import type { RoulettePosition } from '../../../src/modules/games/house-games/roulette/layout/rules.ts';
import { formatUnits, type Units } from '../../../src/platform/money.ts';
import { money, number } from '../../kit/intl.ts';
import { words } from '../words.ts';
import { move } from './play/motion.ts';
import type { Laid } from './roulette-chips.ts';
import { COLUMNS, type Kind, PLACES, type Place, pressed, ROWS } from './roulette-places.ts';
import { towards } from './roving.ts';
import { colourOf } from './wheel-order.ts';

/** The edge of a field, in pixels, on which a chip lies between numbers. On touch screens the player chooses the kind of bet instead. */
const EDGE = 9;
const SLIDE = { wonMs: 240, lostMs: 200, backMs: 140, px: 140 };

type TableProps = {
  chips: Laid;
  kind: Kind;
  /** The winning number, while it is shown. */
  hit: number | undefined;
  onLay: (places: readonly number[]) => void;
  onUndo: () => void;
  table: RefObject<HTMLDivElement | null>;
};

/**
 * The roulette table. It is a single Tab stop. Arrow keys move to the nearest position, Enter and Space place a chip, and Backspace removes
 * the last chip.
 */
export function Table({ chips, kind, hit, onLay, onUndo, table }: TableProps) {
  const [at, setAt] = useState(0);
  const [aimed, setAimed] = useState('');
  const go = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Backspace') onUndo();
    if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    const next = towards(PLACES, at, event.key);
    if (next === undefined) return;
    setAt(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus();
  };
  const covered = new Set(
    aimed
      .split(' ')
      .map(Number)
      .flatMap((index) => [...(PLACES[index]?.position.wins ?? [])]),
  );
  const isAimed = aimed !== '';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a roulette table
    <div
      ref={table}
      className="felt"
      role="group"
      aria-label={words.roulette.table}
      onKeyDown={go}
      onPointerMove={(event) => setAimed(event.pointerType === 'mouse' ? aimOf(event, kind).join(' ') : '')}
      onPointerLeave={() => setAimed('')}
      onClick={(event) => onLay(aimOf(event, kind))}
    >
      {PLACES.map((place, index) => (
        <Position
          key={place.position.type + place.position.numbers.join()}
          place={place}
          index={index}
          amount={chips.get(index)}
          isAt={index === at}
          isHit={hit !== undefined && place.position.wins.has(hit)}
          isAimed={isAimed && isCovered(place.position, covered)}
          onFocus={setAt}
        />
      ))}
    </div>
  );
}

const isCovered = ({ type, numbers }: RoulettePosition, covered: ReadonlySet<number>) =>
  type === 'STRAIGHT' && covered.has(numbers[0]!);

/** The positions that a press means, by where the pointer is. Presses by keyboard have no point. */
function aimOf(event: MouseEvent<HTMLElement>, kind: Kind): readonly number[] {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-cell]') : null;
  if (!button) return [];
  const field = Number(button.dataset.cell);
  if (event.type === 'click' && event.detail === 0) return pressed(field, kind);
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  const at = {
    x: ((event.clientX - left) / width) * COLUMNS,
    y: ((event.clientY - top) / height) * ROWS,
  };
  const isMouse = (event.nativeEvent as PointerEvent).pointerType !== 'touch';
  const edge = isMouse ? { x: (EDGE / width) * COLUMNS, y: (EDGE / height) * ROWS } : undefined;
  return pressed(field, kind, at, edge);
}

type PositionProps = {
  place: Place;
  index: number;
  amount: Units | undefined;
  isAt: boolean;
  isHit: boolean;
  isAimed: boolean;
  onFocus: (index: number) => void;
};

const Position = memo(({ place, index, amount, isAt, isHit, isAimed, onFocus }: PositionProps) => {
  const { position, wide } = place;
  const name = nameOf(position);
  const pays = words.play.pays(Number(position.pays));
  const laid = amount === undefined ? '' : formatUnits(amount);
  return (
    <button
      type="button"
      data-cell={index}
      tabIndex={isAt ? 0 : -1}
      onFocus={() => onFocus(index)}
      className={[classOf(place), laid && 'laid', isHit && 'hit', isAimed && 'aimed']
        .filter(Boolean)
        .join(' ')}
      style={boxOf(place)}
      aria-label={[name, pays, laid && money(laid)].filter(Boolean).join(', ')}
      title={wide > 0 && position.type === 'STRAIGHT' ? undefined : name}
    >
      {wide > 0 && <Face of={position} />}
      {laid && <span className={laid.length > 3 ? 'jeton long' : 'jeton'} data-text={number(laid)} />}
    </button>
  );
});

function Face({ of: { type, numbers } }: { of: RoulettePosition }) {
  if (type === 'RED' || type === 'BLACK') return <i className={type.toLowerCase()} />;
  // The name of a column contains no odds, so these are no text.
  if (type === 'COLUMN') return <b data-text="2:1" />;
  return <b>{textOf(type, numbers[0] ?? 0)}</b>;
}

function textOf(type: RoulettePosition['type'], first: number): string {
  const { short, dozens } = words.roulette;
  if (type === 'STRAIGHT') return String(first);
  return type === 'DOZEN' ? dozens[first - 1]! : (short[type as keyof typeof short] ?? '');
}

function nameOf({ type, numbers }: RoulettePosition): string {
  const { places, dozens, landed } = words.roulette;
  const first = numbers[0]!;
  if (type === 'DOZEN') return dozens[first - 1]!;
  return places[type](type === 'STRAIGHT' ? landed(first, colourOf(first)) : numbers.join(', '));
}

function classOf({ position: { type, numbers }, wide }: Place): string {
  if (wide === 0) return 'felt-spot';
  return type === 'STRAIGHT' ? `felt-field ${colourOf(numbers[0]!).toLowerCase()}` : 'felt-field outside';
}

const percent = (part: number, of: number) => `${((part / of) * 100).toFixed(3)}%`;

function boxOf({ x, y, wide, high }: Place) {
  if (wide === 0) return { left: percent(x, COLUMNS), top: percent(y, ROWS) };
  return {
    left: percent(x - wide / 2, COLUMNS),
    top: percent(y - high / 2, ROWS),
    width: percent(wide, COLUMNS),
    height: percent(high, ROWS),
  };
}

/** Chips that lost slide to the house, and chips that won slide to the player. Then they lie on the table again for the next bet. */
export function slideChips(table: HTMLElement | null, hit: number): void {
  for (const chip of table?.querySelectorAll('.jeton') ?? []) {
    const index = Number(chip.closest<HTMLElement>('[data-cell]')?.dataset.cell);
    const hasWon = PLACES[index]?.position.wins.has(hit) === true;
    void slide(chip, hasWon);
  }
}

async function slide(chip: Element, hasWon: boolean): Promise<void> {
  const [here, there] = [
    { transform: 'translateY(0)', opacity: 1 },
    { transform: `translateY(${hasWon ? SLIDE.px : -SLIDE.px}px)`, opacity: 0 },
  ];
  await move(chip, [here, there], hasWon ? SLIDE.wonMs : SLIDE.lostMs);
  await move(chip, [{ ...here, opacity: 0 }, here], SLIDE.backMs);
}
