/**
 * The rules of the demo slot Seven Orchards: five reels, three rows, ten lines. All amounts are in line bets. A stake is ten line bets.
 * rtp/exact/seven-orchards.ts computes the exact return.
 */

/** Returns the next number from 0 to 2^32 - 1. */
export type Next = () => number;

/** A winning line. `line` is its index in LINES, `count` the number of reels from the left, `pay` the payout in line bets. */
export type LineWin = { line: number; symbol: string; count: number; pay: number };

/** `window`: the symbols of each reel from top to bottom. `pay`: payout in line bets, scatters included. */
export type Spin = {
  stops: readonly number[];
  window: readonly string[];
  wins: readonly LineWin[];
  isTrigger: boolean;
  pay: number;
};

/** The paid spin, followed by the free spins that it triggered. */
export type Round = { spins: readonly Spin[]; freeSpins: number; lineBets: number };

export const STOPS = 16;
export const LINE_BETS = 10;
export const FREE_SPINS = 8;
export const REELS: readonly string[] = [
  'COPLBCSPOL7PCBLO',
  'CPWLOBPLC7OLCPBO',
  'OPWLSBPLC7PLCOBC',
  'CPWLOBPLC7OLCPBO',
  'COPLBCSPOL7PCBLO',
];
/** The row of each line on each reel. Row 0 is the top row. */
export const LINES: readonly string[] = [
  '11111',
  '00000',
  '22222',
  '01210',
  '21012',
  '00122',
  '22100',
  '10001',
  '12221',
  '10121',
];
const WILD = 'W';
const SCATTER = 'S';
/** Number of scatters that trigger free spins. Scatters are only on the first, third and fifth reel. */
const SCATTERS = 3;
const SCATTER_PAY = 20;
/** Payouts for three, four and five symbols from the left. */
const PAYS: Readonly<Record<string, readonly [number, number, number]>> = {
  '7': [60, 250, 1000],
  B: [25, 100, 300],
  L: [12, 40, 100],
  P: [9, 25, 80],
  C: [5, 15, 50],
  O: [5, 15, 50],
};

/** Plays a whole round. Each spin uses five numbers, whose top four bits are the stops. */
export function playRound(next: Next): Round {
  const draw = () => REELS.map(() => next() >>> 28);
  const paid = spinAt(draw());
  const freeSpins = paid.isTrigger ? FREE_SPINS : 0;
  const spins = [paid, ...Array.from({ length: freeSpins }, () => spinAt(draw(), true))];
  return { spins, freeSpins, lineBets: spins.reduce((sum, { pay }) => sum + pay, 0) };
}

/** Evaluates the window at these stops. Scatters pay nothing on a free spin. */
export function spinAt(stops: readonly number[], isFree = false): Spin {
  const window = REELS.map((reel, at) => [0, 1, 2].map((row) => reel[(stops[at]! + row) % STOPS]).join(''));
  const scatters = window.filter((symbols) => symbols.includes(SCATTER)).length;
  const isTrigger = !isFree && scatters === SCATTERS;
  const wins = LINES.flatMap((rows, line) => winOf(window, rows, line) ?? []);
  const pay = wins.reduce((sum, win) => sum + win.pay, isTrigger ? SCATTER_PAY : 0);
  return { stops, window, wins, isTrigger, pay };
}

/** The first reel has no wild, so its symbol is always the one that pays. */
function winOf(window: readonly string[], rows: string, line: number): LineWin | undefined {
  const symbols = window.map((column, reel) => column[Number(rows[reel])]!);
  const symbol = symbols[0]!;
  const other = symbols.findIndex((one) => one !== symbol && one !== WILD);
  const count = other < 0 ? symbols.length : other;
  const pay = PAYS[symbol]?.[count - 3];
  return pay === undefined ? undefined : { line, symbol, count, pay };
}
