import { list, number, plural } from '../../kit/intl.ts';

/** Texts that keno, plinko, mines and monkey run share. */
export const board = {
  risk: 'Risk',
  risks: { CLASSIC: 'Classic', LOW: 'Low', MEDIUM: 'Medium', HIGH: 'High' },
  autoPick: 'Auto pick',
  clear: 'Clear',
  move: 'Move',
  cashOut: 'Cash out',
  cashOutFor: (amount: string) => `Cash out ${amount}`,
  goesOn: 'Your round is still open',
  asking: 'Checking for an open round…',
};

export const keno = {
  board: 'Numbers 1 to 40. Use the arrow keys to move and Enter to pick.',
  number: (n: number, isDrawn: boolean) => (isDrawn ? `${number(n)}, drawn` : number(n)),
  pick: (most: number) => `Pick 1 to ${number(most)} numbers`,
  picked: (numbers: readonly number[]) => `Picked: ${list(numbers.map((n) => number(n)))}`,
  payouts: 'Payouts',
  hits: (hits: number) => plural(hits, { one: '# hit', other: '# hits' }),
  result: (hits: number, of: number, paid: string) => `${number(hits)} of ${number(of)} hit · ${paid}`,
};

export const plinko = {
  action: 'Drop ball',
  rows: 'Rows',
  landed: (at: string, paid: string) => `${at} · ${paid}`,
  board: (rows: number, risk: string, payouts: readonly string[]) =>
    `Plinko board. Rows: ${number(rows)}. Risk: ${risk}. Buckets from left to right: ${list(payouts)}`,
};

export const mines = {
  size: 'Grid',
  sides: (side: number) => `${number(side)} × ${number(side)}`,
  bombs: 'Mines',
  grid: 'Tiles. Use the arrow keys to move and Enter to reveal.',
  cell: (row: number, column: number) => `Row ${number(row)}, column ${number(column)}`,
  holds: (cell: string, content: string) => `${cell}: ${content}`,
  cells: { GEM: 'gem', BOMB: 'mine', PICKED: 'picked' },
  rest: { GEM: 'gem, shown after the round', BOMB: 'mine, shown after the round' },
  found: 'Gems found',
  foundOf: (gems: number, of: number) => `${number(gems)} of ${number(of)}`,
  next: 'Next gem',
  picked: 'Tiles picked',
  allSafe: 'Multiplier',
  random: 'Pick a random tile',
  first: 'Reveal a tile first',
  pick: 'Pick the tiles to reveal in each round',
  ladder: 'Multipliers',
  now: 'now',
  gems: (gems: number) => plural(gems, { one: '# gem', other: '# gems' }),
  begun: (bombs: number) =>
    plural(bombs, { one: '# mine is hidden. Reveal a tile.', other: '# mines are hidden. Reveal a tile.' }),
  safe: (at: string) => `Gem · ${at}`,
  lost: (paid: string) => `Mine · ${paid}`,
  out: (at: string, paid: string) => `${at} · ${paid}`,
};

export const monkey = {
  difficulty: 'Difficulty',
  difficulties: { EASY: 'Easy', MEDIUM: 'Medium', HARD: 'Hard', EXPERT: 'Expert' },
  traps: (traps: number, of: number) =>
    plural(traps, { one: `# trap among ${number(of)} tiles`, other: `# traps among ${number(of)} tiles` }),
  tiles: 'Tiles in the river. Use the arrow keys to move and Enter to jump.',
  tile: (tile: number, at: string, note: string | undefined) =>
    note ? `Tile ${number(tile)}, ${at}: ${note}` : `Tile ${number(tile)}, ${at}`,
  isHere: 'the monkey is here',
  isTrap: 'trap',
  now: 'Now',
  next: 'Next tile',
  jump: 'Jump',
  jumpTo: (tile: number) => `Jump to tile ${number(tile)}`,
  first: 'Jump to a tile first',
  target: 'Run to tile',
  targetAt: (tile: number, at: string) => `${number(tile)} · ${at}`,
  begun: 'The monkey is ready. Jump to the first tile.',
  safe: (at: string, payout: string) => `Safe · ${at} · Cash out for ${payout}`,
  lost: (tile: number, paid: string) => `Trap on tile ${number(tile)} · ${paid}`,
  out: (at: string, paid: string, trap: number) => `${at} · ${paid} · First trap: tile ${number(trap)}`,
};
