import { list, number, plural } from '../../kit/intl.ts';
import type * as en from './boards.en.ts';

export const board = {
  risk: 'Risiko',
  risks: { CLASSIC: 'Klassisch', LOW: 'Niedrig', MEDIUM: 'Mittel', HIGH: 'Hoch' },
  autoPick: 'Zufallswahl',
  clear: 'Leeren',
  move: 'Bewegen',
  cashOut: 'Auszahlen',
  cashOutFor: (amount) => `${amount} auszahlen`,
  goesOn: 'Ihre Runde ist noch offen',
  asking: 'Offene Runde wird gesucht …',
} satisfies typeof en.board;

export const keno = {
  board: 'Zahlen 1 bis 40. Mit den Pfeiltasten bewegen, mit Enter auswählen.',
  number: (n, isDrawn) => (isDrawn ? `${number(n)}, gezogen` : number(n)),
  pick: (most) => `Wählen Sie 1 bis ${number(most)} Zahlen`,
  picked: (numbers) => `Ausgewählt: ${list(numbers.map((n) => number(n)))}`,
  payouts: 'Auszahlungen',
  hits: (hits) => plural(hits, { one: '# Treffer', other: '# Treffer' }),
  result: (hits, of, paid) => `${number(hits)} von ${number(of)} getroffen · ${paid}`,
} satisfies typeof en.keno;

export const plinko = {
  action: 'Kugel fallen lassen',
  rows: 'Reihen',
  landed: (at, paid) => `${at} · ${paid}`,
  board: (rows, risk, payouts) =>
    `Plinko-Brett. Reihen: ${number(rows)}. Risiko: ${risk}. Fächer von links nach rechts: ${list(payouts)}`,
} satisfies typeof en.plinko;

export const mines = {
  size: 'Raster',
  sides: (side) => `${number(side)} × ${number(side)}`,
  bombs: 'Minen',
  grid: 'Felder. Mit den Pfeiltasten bewegen, mit Enter aufdecken.',
  cell: (row, column) => `Zeile ${number(row)}, Spalte ${number(column)}`,
  holds: (cell, content) => `${cell}: ${content}`,
  cells: { GEM: 'Edelstein', BOMB: 'Mine', PICKED: 'ausgewählt' },
  rest: { GEM: 'Edelstein, erst am Ende aufgedeckt', BOMB: 'Mine, erst am Ende aufgedeckt' },
  found: 'Edelsteine',
  foundOf: (gems, of) => `${number(gems)} von ${number(of)}`,
  next: 'Nächster Stein',
  picked: 'Ausgewählt',
  allSafe: 'Multiplikator',
  random: 'Zufälliges Feld',
  first: 'Decken Sie zuerst ein Feld auf',
  pick: 'Wählen Sie die Felder, die jede Runde aufdecken soll',
  ladder: 'Multiplikatoren',
  now: 'jetzt',
  gems: (gems) => plural(gems, { one: '# Stein', other: '# Steine' }),
  begun: (bombs) =>
    plural(bombs, {
      one: '# Mine ist versteckt. Decken Sie ein Feld auf.',
      other: '# Minen sind versteckt. Decken Sie ein Feld auf.',
    }),
  safe: (at) => `Edelstein · ${at}`,
  lost: (paid) => `Mine · ${paid}`,
  out: (at, paid) => `${at} · ${paid}`,
} satisfies typeof en.mines;

export const monkey = {
  difficulty: 'Schwierigkeit',
  difficulties: { EASY: 'Leicht', MEDIUM: 'Mittel', HARD: 'Schwer', EXPERT: 'Profi' },
  traps: (traps, of) =>
    plural(traps, {
      one: `# Falle auf ${number(of)} Feldern`,
      other: `# Fallen auf ${number(of)} Feldern`,
    }),
  tiles: 'Felder im Fluss. Mit den Pfeiltasten bewegen, mit Enter springen.',
  tile: (tile, at, note) => (note ? `Feld ${number(tile)}, ${at}: ${note}` : `Feld ${number(tile)}, ${at}`),
  isHere: 'hier steht der Affe',
  isTrap: 'Falle',
  now: 'Jetzt',
  next: 'Nächstes Feld',
  jump: 'Springen',
  jumpTo: (tile) => `Auf Feld ${number(tile)} springen`,
  first: 'Springen Sie zuerst auf ein Feld',
  target: 'Laufen bis Feld',
  targetAt: (tile, at) => `${number(tile)} · ${at}`,
  begun: 'Der Affe ist bereit. Springen Sie auf das erste Feld.',
  safe: (at, payout) => `Sicher · ${at} · Auszahlung ${payout}`,
  lost: (tile, paid) => `Falle auf Feld ${number(tile)} · ${paid}`,
  out: (at, paid, trap) => `${at} · ${paid} · Erste Falle: Feld ${number(trap)}`,
} satisfies typeof en.monkey;
