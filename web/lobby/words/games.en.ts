export const house = {
  limits: (least: number, most: number, profit: number) =>
    `From ${least} to ${most} USD. The most that one bet can win is ${profit} USD.`,
  risk: 'Risk',
  risks: {
    CLASSIC: 'Classic',
    LOW: 'Low',
    MEDIUM: 'Medium',
    HIGH: 'High',
    EASY: 'Easy: 1 trap',
    HARD: 'Hard: 5 traps',
    EXPERT: 'Expert: 10 traps',
  },
  clear: 'Clear',
  colours: { RED: 'red', BLACK: 'black', GREEN: 'green' },
  cashOut: (multiplier: number) => `Cash out at ${multiplier} ×`,
  goesOn: 'Your open round goes on.',
};

export const series = {
  title: 'Autoplay',
  count: 'Number of bets',
  win: 'Stop when one bet wins more than (USD)',
  fallen: 'Stop when I have lost (USD)',
  risen: 'Stop when I have won (USD)',
  hint: (atOnce: number) =>
    `With a condition to stop, every bet waits for the one before it. Without one, bets are made ${atOnce} at a time. On average many bets lose more than one.`,
  wrong: 'Check the numbers: 1 to 1000 bets, amounts like 12.50.',
  start: 'Start',
  stop: 'Stop',
  left: (count: number) => `${count} left`,
  net: 'Result:',
  stopped: 'Stopped by you.',
  held: 'Stopped by the reality check.',
  done: 'All bets are made.',
  refused: 'Stopped: a bet was refused.',
  unknown: (count: number) => `Stopped: look at your bets, the outcome of ${count} is not known yet.`,
  byWin: 'Stopped: a bet won more than that.',
  byFall: 'Stopped: you have lost that much.',
  byRise: 'Stopped: you have won that much.',
};

export const limbo = {
  target: 'Target (×)',
  range: (least: number, most: number) => `From ${least} to ${most}, with two decimals at most.`,
  line: 'The line from 1 to 1,000,000, with what wins',
};

export const keno = {
  board: 'Numbers from 1 to 40',
  choose: (most: number) => `Choose 1 to ${most} numbers.`,
  random: 'Choose for me',
  hits: (hits: number, of: number) => `${hits} of your ${of} numbers.`,
  hit: (hits: number) => (hits === 1 ? '1 hit' : `${hits} hits`),
  table: 'What each number of hits pays',
};

export const plinko = {
  rows: 'Rows of pins',
  landed: (bucket: number, of: number, multiplier: number) => `Bucket ${bucket} of ${of}, ${multiplier} ×.`,
  board: (rows: number, pays: string) => `A board of ${rows} rows. Buckets from left to right: ${pays}`,
};

export const roulette = {
  wheel: 'The wheel',
  table: 'The table. Arrow keys move, Enter lays a chip, Backspace takes the last one back.',
  chip: 'Chip (USD)',
  undo: 'Take back the last chip',
  double: 'Double all chips',
  clear: 'Take all chips off',
  lay: 'Lay chips on the table.',
  types: {
    STRAIGHT: 'Number',
    SPLIT: 'Split',
    STREET: 'Street',
    CORNER: 'Corner',
    LINE: 'Line',
    DOZEN: 'Dozen',
    COLUMN: 'Column',
    RED: 'Red',
    BLACK: 'Black',
    ODD: 'Odd',
    EVEN: 'Even',
    LOW: '1 to 18',
    HIGH: '19 to 36',
  },
  short: { RED: 'Red', BLACK: 'Black', ODD: 'Odd', EVEN: 'Even', LOW: '1–18', HIGH: '19–36' },
};

export const mines = {
  size: 'Grid',
  bombs: 'Bombs',
  picking: 'Choose the cells first, open them all at once',
  openAll: 'Bet and open the cells',
  grid: 'The field. Arrow keys move, Enter opens a cell.',
  cell: (row: number, column: number) => `Row ${row}, column ${column}`,
  cells: { GEM: 'gem', BOMB: 'bomb', PICKED: 'chosen' },
  next: (opened: number, multiplier: number) => `${opened} open. The next one makes it ${multiplier} ×.`,
  begun: (bombs: number) =>
    bombs === 1 ? 'There is 1 bomb. Open a cell.' : `There are ${bombs} bombs. Open a cell.`,
  safe: (multiplier: number) => `A gem. Now ${multiplier} ×.`,
  bomb: 'A bomb.',
  out: (multiplier: number) => `Out at ${multiplier} ×.`,
};

export const monkey = {
  difficulty: 'Difficulty',
  tiles: 'Twenty tiles. Arrow keys move, Enter runs there.',
  tile: (tile: number, multiplier: number | undefined) =>
    multiplier === undefined ? `Tile ${tile}, out of reach` : `Tile ${tile}, ${multiplier} ×`,
  isHere: 'the monkey',
  isTrap: 'trap',
  step: (multiplier: number) => `Next tile for ${multiplier} ×`,
  profit: 'Profit after the next tile:',
  cashOut: (amount: string) => `Cash out ${amount} USD`,
  begun: 'The monkey is ready.',
  safe: (tile: number, amount: string) => `Tile ${tile} is safe. Cashing out pays ${amount} USD.`,
  trap: (tile: number) => `The first trap was on tile ${tile}.`,
};

export const blackjack = {
  deal: 'Deal',
  sideBet: 'Perfect pair',
  sideBetHint: 'A side bet in USD, empty for none: same rank pays 12, or 25 in the same colour.',
  dealer: 'Dealer',
  hand: 'Your hand',
  handOf: (hand: number) => `Hand ${hand}`,
  yours: 'Your turn',
  soft: (total: number) => `soft ${total}`,
  doubled: 'doubled',
  hidden: 'A card face down',
  has: (cards: string, total: number) => `You have ${cards}: ${total}.`,
  dealerHas: (cards: string, total: number) => `The dealer has ${cards}: ${total}.`,
  actions: { HIT: 'Hit', STAND: 'Stand', DOUBLE: 'Double', SPLIT: 'Split', INSURANCE: 'Insurance' },
  results: { WIN: '✓ Won', LOSE: '✕ Lost', PUSH: '● Equal', BLACKJACK: '✓ Blackjack' },
  pairs: {
    NONE: 'no pair',
    MIXED_PAIR: 'mixed pair',
    COLORED_PAIR: 'coloured pair',
    PERFECT_PAIR: 'perfect pair',
  },
  suits: ['of hearts', 'of diamonds', 'of clubs', 'of spades'],
  ranks: ['ace', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'jack', 'queen', 'king'],
};

export const speed = {
  colour: 'Colour',
  placed: (amount: string, colour: string) => `${amount} on ${colour}.`,
  phases: { BETTING: 'Bets are open', WAITING: 'No more bets', RESULT: 'Result' },
  history: 'The last results, newest first',
  stats: 'Last 100 rounds:',
  you: 'You',
};
