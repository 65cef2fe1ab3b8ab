import type { DiceInputs, DiceOutcome } from '../../src/modules/games/house-games/dice/rules.ts';
import type { KenoInputs, KenoOutcome } from '../../src/modules/games/house-games/keno/rules.ts';
import type { LimboInputs, LimboOutcome } from '../../src/modules/games/house-games/limbo/rules.ts';
import type { MinesInputs, MinesOutcome } from '../../src/modules/games/house-games/mines/rules.ts';
import type {
  MonkeyRunInputs,
  MonkeyRunOutcome,
} from '../../src/modules/games/house-games/monkey-run/rules.ts';
import type { PlinkoInputs, PlinkoOutcome } from '../../src/modules/games/house-games/plinko/rules.ts';
import type { RouletteInputs, RouletteOutcome } from '../../src/modules/games/house-games/roulette/rules.ts';
import type { Outcome as SpeedRouletteOutcome } from '../../src/modules/games/house-games/speed-roulette/rules.ts';
import type { Facts } from '../../src/modules/games/house-games/verify/read.ts';
import { drawCards } from './cards.ts';
import { label, picture, svg } from './element.ts';

type Drawing<Inputs, Outcome> = (bet: { inputs: Inputs; outcome: Outcome }) => Element;

/** Draws a computed outcome, whose fields depend on the game. Returns undefined for a game without a drawing. */
export function draw(game: string, inputs: Facts, outcome: Facts): Element | undefined {
  return DRAWINGS[game]?.({ inputs: inputs as never, outcome: outcome as never });
}

const dice: Drawing<DiceInputs, DiceOutcome> = ({
  inputs: { threshold, above },
  outcome: { randomValue, didWin },
}) => {
  const at = (value: number) => 20 + value * 5.6;
  const [from, to] = above ? [threshold, 100] : [0, threshold];
  return picture(
    `${randomValue} rolled, ${above ? 'above' : 'below'} ${threshold} wins`,
    [600, 110],
    svg('rect', { x: at(0), y: 50, width: 560, height: 18, rx: 9, class: 'lost' }),
    svg('rect', { x: at(from), y: 50, width: at(to) - at(from), height: 18, rx: 9, class: 'won' }),
    [0, 25, 50, 75, 100].map((value) => label(at(value), 88, value, 'small')),
    svg('line', { x1: at(threshold), x2: at(threshold), y1: 44, y2: 74, class: 'line' }),
    svg('path', { d: `M${at(randomValue)} 46l-9 -14h18z`, class: didWin ? 'gain' : 'loss' }),
    label(Math.min(Math.max(at(randomValue), 40), 560), 18, randomValue.toFixed(2), 'big'),
  );
};

const limbo: Drawing<LimboInputs, LimboOutcome> = ({ outcome: { multiplier, randomMultiplier } }) => {
  const at = (value: number) => 20 + (Math.log10(value) / 6) * 560;
  const didWin = randomMultiplier >= multiplier;
  return picture(
    `${randomMultiplier} times, the target was ${multiplier}`,
    [600, 130],
    svg('rect', { x: at(1), y: 60, width: 560, height: 14, rx: 7, class: 'lost' }),
    svg('rect', {
      x: at(1),
      y: 60,
      width: Math.max(at(randomMultiplier) - at(1), 4),
      height: 14,
      rx: 7,
      class: didWin ? 'gain' : 'loss',
    }),
    svg('line', { x1: at(multiplier), x2: at(multiplier), y1: 50, y2: 84, class: 'line' }),
    [1, 10, 100, 1000, 10_000, 100_000, 1_000_000].map((value) =>
      label(at(value), 98, value === 1_000_000 ? '1M' : value >= 1000 ? `${value / 1000}k` : value, 'small'),
    ),
    label(300, 24, `${randomMultiplier.toFixed(2)}×`, didWin ? 'big good' : 'big bad'),
    label(Math.min(Math.max(at(multiplier), 60), 540), 118, `target ${multiplier}×`, 'small'),
  );
};

const keno: Drawing<KenoInputs, KenoOutcome> = ({ inputs: { selected }, outcome: { results } }) =>
  tiles(`drawn: ${results.join(', ')}; selected: ${selected.join(', ')}`, { count: 40, columns: 8 }, (i) => {
    const isDrawn = results.includes(i + 1);
    const isSelected = selected.includes(i + 1);
    const kind = isDrawn ? (isSelected ? 'gain' : 'drawn') : isSelected ? 'picked' : '';
    return { kind, text: i + 1, small: isDrawn ? `${results.indexOf(i + 1) + 1}.` : '' };
  });

const mines: Drawing<MinesInputs, MinesOutcome> = ({
  inputs: { gridCellsCount, cellIndices },
  outcome: { bombs, opened },
}) => {
  const open: number[] = cellIndices.slice(0, opened);
  return tiles(
    `bombs in the cells ${bombs.join(', ')}; opened: ${open.join(', ')}`,
    { count: gridCellsCount, columns: Math.sqrt(gridCellsCount) },
    (i) => {
      const isBomb = bombs.includes(i);
      const order = open.indexOf(i);
      const kind = order < 0 ? (isBomb ? 'drawn' : '') : isBomb ? 'loss' : 'gain';
      return { kind, text: isBomb ? '✹' : order < 0 ? '' : '◆', small: order < 0 ? '' : `${order + 1}.` };
    },
  );
};

const monkeyRun: Drawing<MonkeyRunInputs, MonkeyRunOutcome> = ({
  outcome: { traps, deadPoint, step, didWin },
}) =>
  tiles(`traps on the tiles ${traps.join(', ')}; ${step} passed`, { count: 20, columns: 10 }, (i) => {
    const tile = i + 1;
    const isEnd = !didWin && tile === deadPoint;
    const kind = tile <= step ? 'gain' : isEnd ? 'loss' : traps.includes(tile) ? 'drawn' : '';
    return { kind, text: traps.includes(tile) ? '✕' : tile <= step ? '✓' : '', small: tile };
  });

const plinko: Drawing<PlinkoInputs, PlinkoOutcome> = ({
  inputs: { rowsCount },
  outcome: { results, multiplier },
}) => {
  const gap = 560 / (rowsCount + 2);
  const x = (row: number, right: number) => 300 + (right - row / 2) * gap;
  const y = (row: number) => 30 + row * gap * 0.8;
  let right = 0;
  const path = results.map((turn: number, row: number) => {
    right += turn;
    return `L${x(row + 1, right)} ${y(row + 1) - gap * 0.4}`;
  });
  const pins = results.flatMap((_: number, row: number) =>
    Array.from({ length: row + 1 }, (_pin, i) =>
      svg('circle', { cx: x(row, i), cy: y(row), r: gap / 9, class: 'pin' }),
    ),
  );
  const buckets = Array.from({ length: rowsCount + 1 }, (_, i) =>
    svg('rect', {
      x: x(rowsCount, i) - gap * 0.42,
      y: y(rowsCount),
      width: gap * 0.84,
      height: gap * 0.7,
      rx: 4,
      class: i === right ? 'gain' : 'tile',
    }),
  );
  return picture(
    `the ball went ${results.map((turn: number) => (turn ? 'right' : 'left')).join(', ')} into bucket ${right}`,
    [600, y(rowsCount) + gap + 30],
    pins,
    buckets,
    svg('path', {
      d: `M300 8L300 ${y(0) - gap * 0.4}${path.join('')}L${x(rowsCount, right)} ${y(rowsCount) + gap * 0.3}`,
      class: 'ball',
    }),
    label(Math.min(Math.max(x(rowsCount, right), 40), 560), y(rowsCount) + gap + 12, `${multiplier}×`, 'big'),
  );
};

/** Order of the numbers on the wheel. */
const WHEEL = [
  0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10, 5, 24, 16, 33, 1, 20, 14, 31, 9, 22,
  18, 29, 7, 28, 12, 35, 3, 26,
];
const RED = [1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36];

const roulette: Drawing<RouletteInputs, RouletteOutcome> = ({ outcome: { randomPosition, multiplier } }) => {
  const color = (n: number) => (n === 0 ? 'green' : RED.includes(n) ? 'red' : 'black');
  return wheel(`the number ${randomPosition}`, {
    pockets: WHEEL.map((n) => ({ text: n, kind: color(n) })),
    hit: WHEEL.indexOf(randomPosition),
    middle: [randomPosition, `${multiplier}×`],
  });
};

const speedRoulette: Drawing<object, SpeedRouletteOutcome> = ({ outcome: { position, color } }) => {
  const kind = (n: number) => (n === 0 ? 'green' : n <= 7 ? 'red' : 'black');
  return wheel(`position ${position}, ${color}`, {
    pockets: Array.from({ length: 15 }, (_, n) => ({ text: n, kind: kind(n) })),
    hit: position,
    middle: [position, color],
  });
};

const DRAWINGS: Readonly<Record<string, Drawing<never, never>>> = {
  dice,
  limbo,
  keno,
  mines,
  plinko,
  roulette,
  'monkey-run': monkeyRun,
  'speed-roulette': speedRoulette,
  blackjack: drawCards,
};

type Tile = { kind: string; text: string | number; small: string | number };

/** Draws numbered fields in rows, from the upper left. */
function tiles(
  said: string,
  { count, columns }: { count: number; columns: number },
  tileAt: (i: number) => Tile,
): SVGElement {
  const size = 600 / columns;
  const parts = Array.from({ length: count }, (_, i) => {
    const row = Math.floor(i / columns);
    const [x, y] = [(i - row * columns) * size, row * size];
    const { kind, text, small } = tileAt(i);
    const shade = kind === '' || kind === 'picked' ? '' : 'on';
    return svg(
      'g',
      {},
      svg('rect', { x: x + 3, y: y + 3, width: size - 6, height: size - 6, rx: 6, class: `tile ${kind}` }),
      label(x + size / 2, y + size / 2 + 2, text, `big ${shade}`),
      label(x + 16, y + 14, small, `small ${shade}`),
    );
  });
  return picture(said, [600, Math.ceil(count / columns) * size], parts);
}

type Wheel = {
  pockets: { text: number; kind: string }[];
  hit: number;
  middle: readonly [string | number, string];
};

/** Draws a ring of pockets, turned so that the winning pocket is at the top. */
function wheel(said: string, { pockets, hit, middle }: Wheel): SVGElement {
  const step = (2 * Math.PI) / pockets.length;
  const point = (radius: number, angle: number) =>
    `${(300 + radius * Math.sin(angle)).toFixed(2)} ${(200 - radius * Math.cos(angle)).toFixed(2)}`;
  const parts = pockets.map(({ text, kind }, i) => {
    const angle = (i - hit) * step;
    const [from, to] = [angle - step / 2, angle + step / 2];
    const ring = `M${point(180, from)}A180 180 0 0 1 ${point(180, to)}L${point(125, to)}A125 125 0 0 0 ${point(125, from)}Z`;
    const [x, y] = point(152, angle).split(' ').map(Number) as [number, number];
    return svg('g', {}, svg('path', { d: ring, class: `pocket ${kind}` }), label(x, y, text, 'small on'));
  });
  return picture(
    said,
    [600, 400],
    parts,
    svg('path', { d: 'M300 26l-10 -20h20z', class: 'gain' }),
    label(300, 185, middle[0], 'huge'),
    label(300, 235, middle[1], 'big'),
  );
}
