import type * as en from './games.en.ts';

export const house = {
  limits: (least, most, profit) =>
    `Von ${least} bis ${most} USD. Mehr als ${profit} USD kann eine Wette nicht gewinnen.`,
  risk: 'Risiko',
  risks: {
    CLASSIC: 'Klassisch',
    LOW: 'Niedrig',
    MEDIUM: 'Mittel',
    HIGH: 'Hoch',
    EASY: 'Leicht: 1 Falle',
    HARD: 'Schwer: 5 Fallen',
    EXPERT: 'Sehr schwer: 10 Fallen',
  },
  clear: 'Leeren',
  colours: { RED: 'Rot', BLACK: 'Schwarz', GREEN: 'Grün' },
  cashOut: (multiplier) => `Auszahlen bei ${multiplier} ×`,
  goesOn: 'Ihre offene Runde geht weiter.',
} satisfies typeof en.house;

export const series = {
  title: 'Automatisch spielen',
  count: 'Anzahl der Wetten',
  win: 'Anhalten, wenn eine Wette mehr gewinnt als (USD)',
  fallen: 'Anhalten, wenn ich verloren habe (USD)',
  risen: 'Anhalten, wenn ich gewonnen habe (USD)',
  hint: (atOnce) =>
    `Mit einer Bedingung wartet jede Wette auf die vorige. Ohne werden je ${atOnce} Wetten auf einmal gemacht. Viele Wetten verlieren im Mittel mehr als eine.`,
  wrong: 'Prüfen Sie die Zahlen: 1 bis 1000 Wetten, Beträge wie 12.50.',
  start: 'Beginnen',
  stop: 'Anhalten',
  left: (count) => `noch ${count}`,
  net: 'Ergebnis:',
  stopped: 'Von Ihnen angehalten.',
  held: 'Angehalten für den Blick auf die Uhr.',
  done: 'Alle Wetten sind gemacht.',
  refused: 'Angehalten: Eine Wette wurde abgelehnt.',
  unknown: (count) =>
    `Angehalten: Sehen Sie Ihre Wetten an, von ${count} ist noch nicht bekannt, wie sie ausgingen.`,
  byWin: 'Angehalten: Eine Wette hat mehr gewonnen.',
  byFall: 'Angehalten: So viel haben Sie verloren.',
  byRise: 'Angehalten: So viel haben Sie gewonnen.',
} satisfies typeof en.series;

export const limbo = {
  target: 'Ziel (×)',
  range: (least, most) => `Von ${least} bis ${most}, mit höchstens zwei Nachkommastellen.`,
  line: 'Die Linie von 1 bis 1.000.000 mit dem Bereich, der gewinnt',
} satisfies typeof en.limbo;

export const keno = {
  board: 'Zahlen von 1 bis 40',
  choose: (most) => `Wählen Sie 1 bis ${most} Zahlen.`,
  random: 'Für mich wählen',
  hits: (hits, of) => `${hits} von Ihren ${of} Zahlen.`,
  hit: (hits) => `${hits} Treffer`,
  table: 'Was jede Zahl von Treffern zahlt',
} satisfies typeof en.keno;

export const plinko = {
  rows: 'Reihen von Stiften',
  landed: (bucket, of, multiplier) => `Fach ${bucket} von ${of}, ${multiplier} ×.`,
  board: (rows, pays) => `Ein Brett mit ${rows} Reihen. Fächer von links nach rechts: ${pays}`,
} satisfies typeof en.plinko;

export const roulette = {
  wheel: 'Der Kessel',
  table: 'Der Tisch. Pfeiltasten bewegen, Enter legt einen Chip, die Rücktaste nimmt den letzten zurück.',
  chip: 'Chip (USD)',
  undo: 'Letzten Chip zurücknehmen',
  double: 'Alle Chips verdoppeln',
  clear: 'Alle Chips abräumen',
  lay: 'Legen Sie Chips auf den Tisch.',
  types: {
    STRAIGHT: 'Zahl',
    SPLIT: 'Zwei Zahlen',
    STREET: 'Reihe',
    CORNER: 'Ecke',
    LINE: 'Zwei Reihen',
    DOZEN: 'Dutzend',
    COLUMN: 'Kolonne',
    RED: 'Rot',
    BLACK: 'Schwarz',
    ODD: 'Ungerade',
    EVEN: 'Gerade',
    LOW: '1 bis 18',
    HIGH: '19 bis 36',
  },
  short: { RED: 'Rot', BLACK: 'Schwarz', ODD: 'Ungerade', EVEN: 'Gerade', LOW: '1–18', HIGH: '19–36' },
} satisfies typeof en.roulette;

export const mines = {
  size: 'Feld',
  bombs: 'Bomben',
  picking: 'Zuerst die Zellen wählen, dann alle auf einmal öffnen',
  openAll: 'Setzen und die Zellen öffnen',
  grid: 'Das Feld. Pfeiltasten bewegen, die Eingabetaste öffnet eine Zelle.',
  cell: (row, column) => `Zeile ${row}, Spalte ${column}`,
  cells: { GEM: 'Edelstein', BOMB: 'Bombe', PICKED: 'gewählt' },
  next: (opened, multiplier) => `${opened} offen. Mit der nächsten wird es das ${multiplier}-Fache.`,
  begun: (bombs) =>
    bombs === 1
      ? 'Es gibt 1 Bombe. Öffnen Sie eine Zelle.'
      : `Es gibt ${bombs} Bomben. Öffnen Sie eine Zelle.`,
  safe: (multiplier) => `Ein Edelstein. Jetzt ${multiplier} ×.`,
  bomb: 'Eine Bombe.',
  out: (multiplier) => `Beendet bei ${multiplier} ×.`,
} satisfies typeof en.mines;

export const monkey = {
  difficulty: 'Schwierigkeit',
  tiles: 'Zwanzig Felder. Pfeiltasten bewegen, die Eingabetaste läuft dorthin.',
  tile: (tile, multiplier) =>
    multiplier === undefined ? `Feld ${tile}, nicht erreichbar` : `Feld ${tile}, ${multiplier} ×`,
  isHere: 'der Affe',
  isTrap: 'Falle',
  step: (multiplier) => `Nächstes Feld für ${multiplier} ×`,
  profit: 'Gewinn nach dem nächsten Feld:',
  cashOut: (amount) => `${amount} USD auszahlen`,
  begun: 'Der Affe ist bereit.',
  safe: (tile, amount) => `Feld ${tile} ist sicher. Eine Auszahlung bringt ${amount} USD.`,
  trap: (tile) => `Die erste Falle war auf Feld ${tile}.`,
} satisfies typeof en.monkey;

export const blackjack = {
  deal: 'Geben',
  sideBet: 'Perfektes Paar',
  sideBetHint: 'Eine Nebenwette in USD, leer für keine: gleicher Rang zahlt 12, in gleicher Farbe 25.',
  dealer: 'Bank',
  hand: 'Ihre Hand',
  handOf: (hand) => `Hand ${hand}`,
  yours: 'Sie sind am Zug',
  soft: (total) => `weiche ${total}`,
  doubled: 'verdoppelt',
  hidden: 'Eine verdeckte Karte',
  has: (cards, total) => `Sie haben ${cards}: ${total}.`,
  dealerHas: (cards, total) => `Die Bank hat ${cards}: ${total}.`,
  actions: {
    HIT: 'Karte',
    STAND: 'Halten',
    DOUBLE: 'Verdoppeln',
    SPLIT: 'Teilen',
    INSURANCE: 'Versicherung',
  },
  results: { WIN: '✓ Gewonnen', LOSE: '✕ Verloren', PUSH: '● Gleich', BLACKJACK: '✓ Blackjack' },
  pairs: {
    NONE: 'kein Paar',
    MIXED_PAIR: 'gemischtes Paar',
    COLORED_PAIR: 'Paar einer Farbe',
    PERFECT_PAIR: 'perfektes Paar',
  },
  suits: ['Herz', 'Karo', 'Kreuz', 'Pik'],
  ranks: ['Ass', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'Bube', 'Dame', 'König'],
} satisfies typeof en.blackjack;

export const speed = {
  colour: 'Farbe',
  placed: (amount, colour) => `${amount} auf ${colour}.`,
  phases: { BETTING: 'Sie können setzen', WAITING: 'Nichts geht mehr', RESULT: 'Ergebnis' },
  history: 'Die letzten Ergebnisse, neueste zuerst',
  stats: 'Die letzten 100 Runden:',
  you: 'Sie',
} satisfies typeof en.speed;
