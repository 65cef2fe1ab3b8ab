import { number, plural } from '../../kit/intl.ts';
import type * as en from './roulette.en.ts';

const COLORS = { RED: 'Rot', BLACK: 'Schwarz', GREEN: 'Grün' };

export const roulette = {
  action: 'Drehen',
  place: 'Chips setzen',
  total: (usd) => `Gesamteinsatz: ${usd}`,
  how: 'Klicken Sie auf eine Zahl oder auf die Linie zwischen zwei Zahlen.',
  howByTouch: 'Tippen Sie auf eine Zahl oder ein Feld des Tisches.',
  wheel: 'Roulettekessel',
  table:
    'Spieltisch. Mit den Pfeiltasten bewegen, mit Enter einen Chip setzen, mit der Rücktaste den letzten zurücknehmen.',
  tableName: 'Tisch',
  chip: 'Chip',
  undo: 'Rückgängig',
  double: 'Alle Chips verdoppeln',
  clear: 'Leeren',
  again: 'Letzter Einsatz',
  kind: 'Chips setzen auf',
  kinds: {
    STRAIGHT: 'Zahlen',
    NEIGHBOURS: 'Zahl und Nachbarn',
    SPLIT: 'Zwei Zahlen (Cheval)',
    STREET: 'Drei Zahlen (Transversale)',
    CORNER: 'Vier Zahlen (Carré)',
    LINE: 'Sechs Zahlen',
  },
  places: {
    STRAIGHT: (numbers) => `Zahl ${numbers}`,
    SPLIT: (numbers) => `Cheval ${numbers}`,
    STREET: (numbers) => `Transversale ${numbers}`,
    CORNER: (numbers) => `Carré ${numbers}`,
    LINE: (numbers) => `Sechs Zahlen ${numbers}`,
    COLUMN: (which) => `Kolonne ${which}`,
    RED: () => 'Rot',
    BLACK: () => 'Schwarz',
    ODD: () => 'Ungerade',
    EVEN: () => 'Gerade',
    LOW: () => '1–18',
    HIGH: () => '19–36',
  },
  short: { ODD: 'Ungerade', EVEN: 'Gerade', LOW: '1–18', HIGH: '19–36' },
  dozens: ['1. Dutzend', '2. Dutzend', '3. Dutzend'],
  colors: COLORS,
  landed: (at, color) => `${number(at)} ${COLORS[color]}`,
  facts: (color, parity, half) => `${color}, ${parity.toLowerCase()}, ${half}`,
  zero: 'Zero',
  recent: 'Zahlen dieser Sitzung',
} satisfies typeof en.roulette;

export const speed = {
  action: 'Wette platzieren',
  color: 'Farbe',
  placed: (amount, color) => `${amount} auf ${COLORS[color]}`,
  phases: { BETTING: 'Bitte setzen', WAITING: 'Nichts geht mehr', RESULT: 'Ergebnis' },
  closed: 'Warten Sie auf die nächste Runde',
  late: 'Zu spät: Es werden keine Einsätze mehr angenommen',
  strip: 'Kessel mit 15 Zahlen',
  recent: 'Letzte Ergebnisse, neueste zuerst',
  stats: (rounds) => plural(rounds, { one: 'Letzte Runde', other: 'Letzte # Runden' }),
  you: 'Sie',
  hiddenName: 'Verborgen',
  bets: (count) => plural(count, { one: '# Wette', other: '# Wetten' }),
  guest: 'Melden Sie sich an, um die laufende Runde und alle Wetten zu sehen',
  none: 'Noch keine Wetten',
} satisfies typeof en.speed;
