import type { Spread } from '../simulation/case.ts';
import { BANDS, type CaseResult, type Milestone } from '../simulation/judge.ts';
import { area, box, el, label, line, path, picture, scale, tip } from './svg.ts';
import { chance, share, whole } from './text.ts';

const ROW = 22;
const WIDE = 920;
const MOST_ERRORS = 4.5;

/** Draws every case on one axis, at the distance between its observed and its exact return in standard errors. */
export function bandsChart(results: readonly CaseResult[]): string {
  const top = 28;
  const bottom = top + results.length * ROW;
  const x = scale([-MOST_ERRORS, MOST_ERRORS], [300, 720]);
  const ticks = [-BANDS.p999, -BANDS.p95, 0, BANDS.p95, BANDS.p999];
  const band = (errors: number, kind: string) =>
    box(x(-errors), top - 6, x(errors) - x(-errors), bottom - top + 6, kind);
  const rows = results.map(({ of, actual, tests }, i) => {
    const y = top + (i + 0.5) * ROW;
    const z = tests[0]!.statistic;
    const kind = Math.abs(z) > BANDS.p999 ? 'dot far' : 'dot';
    const says = `${of.game} ${of.name}: ${share(actual)} where ${share(of.expected)} is exact, ${z.toFixed(2)} standard errors`;
    return [
      label(0, y + 4, of.game, 'quiet'),
      label(104, y + 4, of.name, 'text'),
      line(x(-MOST_ERRORS), y, x(MOST_ERRORS), y, 'hair'),
      line(x(0), y, x(z), y, 'stem'),
      el('circle', { cx: x(z), cy: y, r: 4.5, class: kind }, tip(says)),
      label(WIDE - 100, y + 4, share(actual, 3), 'number'),
      label(WIDE, y + 4, share(of.expected, 3), 'number quiet'),
    ].join('');
  });
  return picture(WIDE, bottom + 8, 'Returns of all cases in standard errors', [
    band(BANDS.p999, 'band'),
    band(BANDS.p95, 'band'),
    ...ticks.map((z) => line(x(z), top - 6, x(z), bottom, z === 0 ? 'axis' : 'hair')),
    ...ticks.map((z) => label(x(z), 12, z === 0 ? 'exact' : `${z > 0 ? '+' : '−'}${Math.abs(z)} σ`, 'tick')),
    label(WIDE - 100, 12, 'simulated', 'tick end'),
    label(WIDE, 12, 'exact', 'tick end'),
    ...rows,
  ]);
}

const CARD = { width: 440, height: 170, left: 52, right: 430, top: 12, bottom: 144 };
const MOST_POINTS = 240;

/** Draws the RTP over the course of the run. The curve of a fair game enters the narrowing band and stays in it. */
export function funnelChart({ of, way }: CaseResult): string {
  const step = Math.ceil(way.length / MOST_POINTS);
  const points = way.filter((_, i) => (i + 1) % step === 0 || i === way.length - 1);
  const first = points[0]!;
  const last = points.at(-1)!;
  const reach =
    Math.max(...points.map(({ actual }) => Math.abs(actual - of.expected)), first.error * 2) * 1.1;
  const x = scale([0, last.rounds], [CARD.left, CARD.right]);
  const y = scale([of.expected - reach, of.expected + reach], [CARD.bottom, CARD.top]);
  const edge = (errors: number) => (point: Milestone) =>
    [x(point.rounds), y(of.expected + errors * point.error)] as const;
  const band = (errors: number) =>
    area([...points.map(edge(errors)), ...points.toReversed().map(edge(-errors))], 'band');
  const says = `${of.name}: return by number of rounds`;
  return picture(CARD.width, CARD.height, says, [
    band(BANDS.p999),
    band(BANDS.p95),
    line(CARD.left, y(of.expected), CARD.right, y(of.expected), 'axis'),
    path(
      points.map(({ rounds, actual }) => [x(rounds), y(actual)] as const),
      'curve',
    ),
    label(CARD.left - 6, y(of.expected) + 4, share(of.expected, 1), 'tick end'),
    label(CARD.left - 6, CARD.top + 8, share(of.expected + reach, 1), 'tick end'),
    label(CARD.left - 6, CARD.bottom, share(of.expected - reach, 1), 'tick end'),
    label(CARD.right, CARD.height - 8, `${whole(last.rounds)} rounds`, 'tick end'),
  ]);
}

/**
 * Draws a distribution, with bars for observed counts and a mark for expected ones. For equal probabilities it draws each cell's deviation
 * instead.
 */
export function spreadChart(spread: Spread, counts: readonly number[], rounds: number): string {
  const isEven = new Set(spread.chances).size === 1;
  const parts = isEven ? residualBars(spread, counts, rounds) : shareBars(spread, counts, rounds);
  return picture(CARD.width, CARD.height, `${spread.what}: observed and expected`, parts);
}

function slots(spread: Spread) {
  const width = (CARD.right - CARD.left) / spread.labels.length;
  const most = spread.labels.some((text) => text.length > 3) ? 8 : 13;
  const every = Math.ceil(spread.labels.length / most);
  const names = spread.labels.map((text, i) =>
    i % every === 0 ? label(CARD.left + (i + 0.5) * width, CARD.height - 8, text, 'tick') : '',
  );
  return { width, names, at: (i: number) => CARD.left + i * width };
}

function shareBars(spread: Spread, counts: readonly number[], rounds: number): string[] {
  const { width, names, at } = slots(spread);
  const shares = counts.map((count) => count / rounds);
  const most = Math.max(...spread.chances, ...shares);
  // With a square-root scale, rare cells stay visible next to common ones.
  const y = scale([0, Math.sqrt(most)], [CARD.bottom, CARD.top]);
  const bars = shares.map((seen, i) => {
    const expected = spread.chances[i]!;
    const top = y(Math.sqrt(seen));
    const bar = box(at(i) + width * 0.12, top, width * 0.76, CARD.bottom - top, 'bar');
    const mark = line(at(i), y(Math.sqrt(expected)), at(i) + width, y(Math.sqrt(expected)), 'mark');
    const says = `${spread.what} ${spread.labels[i]}: ${share(seen)}, expected ${share(expected)}`;
    return el('g', {}, bar, mark, tip(says));
  });
  const head = label(CARD.left - 6, CARD.top + 8, share(most, 1), 'tick end');
  return [line(CARD.left, CARD.bottom, CARD.right, CARD.bottom, 'hair'), ...bars, ...names, head];
}

function residualBars(spread: Spread, counts: readonly number[], rounds: number): string[] {
  const { width, names, at } = slots(spread);
  const likely = spread.drawn / counts.length;
  const error = Math.sqrt(rounds * likely * (1 - likely));
  const errors = counts.map((count) => (count - rounds * likely) / error);
  const y = scale([-MOST_ERRORS, MOST_ERRORS], [CARD.bottom, CARD.top]);
  const bars = errors.map((z, i) => {
    const [top, bottom] = z > 0 ? [y(z), y(0)] : [y(0), y(z)];
    const bar = box(at(i) + width * 0.15, top, width * 0.7, bottom - top, 'bar');
    return el(
      'g',
      {},
      bar,
      tip(`${spread.what} ${spread.labels[i]}: ${whole(counts[i]!)}, ${z.toFixed(2)} σ`),
    );
  });
  const guide = (z: number) => line(CARD.left, y(z), CARD.right, y(z), z === 0 ? 'axis' : 'hair');
  const tick = (z: number) =>
    label(CARD.left - 6, y(z) + 4, `${z > 0 ? '+' : '−'}${Math.abs(z)} σ`, 'tick end');
  const ticks = [-BANDS.p999, BANDS.p999].map(tick);
  return [...[-BANDS.p999, -BANDS.p95, 0, BANDS.p95, BANDS.p999].map(guide), ...bars, ...names, ...ticks];
}

/** Draws all p-values in ascending order. For fair games they follow the diagonal. */
export function chancesChart(results: readonly CaseResult[]): string {
  const all = results
    .flatMap(({ of, tests }) =>
      tests.map(({ what, p }) => ({ p, says: `${of.game} ${of.name}, ${what}: ${chance(p)}` })),
    )
    .sort((a, b) => a.p - b.p);
  const size = 320;
  const x = scale([0, 1], [40, size - 10]);
  const y = scale([0, 1], [size - 30, 10]);
  const dots = all.map(({ p, says }, i) =>
    el('circle', { cx: x((i + 0.5) / all.length), cy: y(p), r: 2.4, class: 'dot' }, tip(says)),
  );
  return picture(size, size, 'The p of all tests in order', [
    line(x(0), y(0), x(1), y(1), 'axis'),
    line(x(0), y(0), x(1), y(0), 'hair'),
    line(x(0), y(0), x(0), y(1), 'hair'),
    ...dots,
    label(x(0) - 6, y(0), '0', 'tick end'),
    label(x(0) - 6, y(1) + 8, '1', 'tick end'),
    label(x(1), size - 10, 'share of the tests', 'tick end'),
    label(x(0) + 6, y(1) + 8, 'p', 'tick start'),
  ]);
}
