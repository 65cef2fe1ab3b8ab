/** The size of the drawing. */
export const WIDTH = 660;
export const HEIGHT = 520;
/** Height of the first row of pins, and of all rows with the space above the buckets. */
const TOP = 30;
const DEPTH = 444;
/** Height of the upper edge of the buckets. */
export const BUCKETS = TOP + DEPTH - 14;
/** The widest board, so that few rows do not get huge pins. */
const MOST_GAP = 62;
const PINS_WIDTH = 624;

const ROW_MS = 95;
const LAST_MS = 140;
/** A ball starts above the drawing. */
const START = -14;
/** The ball hops up by this part of a row before it falls to the next one. */
const HOP = 0.14;
const SQUASH = 'scale(1.08, 0.92)';

/** The measures of a board. `gap`: distance of two pins or buckets; `fall`: distance of two rows; `pin`, `ball`: radius. */
export type Layout = { rows: number; gap: number; fall: number; pin: number; ball: number };

export function layoutOf(rows: number): Layout {
  const gap = Math.min(MOST_GAP, PINS_WIDTH / (rows + 1));
  return { rows, gap, fall: DEPTH / rows, pin: gap * 0.117, ball: gap * 0.26 };
}

type Point = { x: number; y: number };

/** The first row has three pins, and each further row has one more. */
export const pinsOf = ({ rows, gap, fall }: Layout): Point[] =>
  Array.from({ length: rows }, (_, row) =>
    Array.from({ length: row + 3 }, (_unused, pin) => ({
      x: WIDTH / 2 + (pin - (row + 2) / 2) * gap,
      y: TOP + row * fall,
    })),
  ).flat();

export const bucketX = ({ rows, gap }: Layout, bucket: number): number =>
  WIDTH / 2 + (bucket - rows / 2) * gap;

export const bucketOf = (results: readonly number[]): number => results.reduce((sum, turn) => sum + turn, 0);

/** Returns the path of the ball: the pin that it hits in each row, then the centre of its bucket. */
export function pinsHit(layout: Layout, results: readonly number[]): Point[] {
  let x = WIDTH / 2;
  const hit = results.map((turn, row) => {
    const pin = { x, y: TOP + row * layout.fall };
    x += turn === 1 ? layout.gap / 2 : -layout.gap / 2;
    return pin;
  });
  return [...hit, { x, y: BUCKETS }];
}

/** Returns the length of a fall in milliseconds. It is below the longest reveal for every number of rows. */
export const fallMs = (rows: number): number => rows * ROW_MS + LAST_MS;

/** Returns the number of rows that the ball has hit after a part of its fall. */
export const rowsHit = (rows: number, part: number): number =>
  Math.min(rows, Math.floor((part * fallMs(rows)) / ROW_MS));

type Frame = { transform: string; opacity?: number; offset: number; easing?: string };

/** Returns the keyframes of a fall: `across` moves evenly, and `down` in arcs, with a squash on each pin. */
export function fallOf(layout: Layout, results: readonly number[]): { across: Frame[]; down: Frame[] } {
  const { rows, fall, pin, ball } = layout;
  const points = pinsHit(layout, results);
  const offset = (index: number) => Math.min(1, ((index + 1) * ROW_MS) / fallMs(rows));
  const x = points.map((point, i) => ({
    transform: `translateX(${point.x}px)`,
    opacity: 1,
    offset: i === rows ? 1 : offset(i),
  }));
  const across = [{ ...x[0]!, offset: 0 }, ...x];
  const down: Frame[] = [{ transform: `translateY(${START}px)`, offset: 0, easing: 'ease-in' }];
  for (const [row, point] of points.entries()) {
    const top = point.y - ball - (row === rows ? 0 : pin);
    if (row === rows) down.push({ transform: `translateY(${top}px)`, offset: 1 });
    else {
      const hop = offset(row) + 0.22 * (offset(row + 1) - offset(row));
      down.push(
        { transform: `translateY(${top}px) ${SQUASH}`, offset: offset(row), easing: 'ease-out' },
        {
          transform: `translateY(${top - HOP * fall}px)`,
          offset: hop,
          easing: 'cubic-bezier(.4, 0, .9, .6)',
        },
      );
    }
  }
  return { across, down };
}

/** Returns the way of a ball as the path of a dotted line. */
export function trailOf(layout: Layout, results: readonly number[]): string {
  const { pin, ball, fall } = layout;
  const [first, ...rest] = pinsHit(layout, results);
  const above = ({ y }: Point) => y - pin - ball / 2;
  const turns = rest.map((to, i) => {
    const from = TOP + i * fall;
    return `Q${to.x} ${from - ball - fall * HOP} ${to.x} ${above(to)}`;
  });
  return `M${first!.x} ${START}L${first!.x} ${above(first!)}${turns.join('')}`;
}
