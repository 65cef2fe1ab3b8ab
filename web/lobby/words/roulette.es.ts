import { number, plural } from '../../kit/intl.ts';
import type * as en from './roulette.en.ts';

const COLORS = { RED: 'Rojo', BLACK: 'Negro', GREEN: 'Verde' };

export const roulette = {
  action: 'Girar',
  place: 'Coloque sus fichas',
  total: (usd) => `Apuesta total: ${usd}`,
  how: 'Haga clic en un número o en la línea entre dos números.',
  howByTouch: 'Toque un número o una casilla de la mesa.',
  wheel: 'Rueda de la ruleta',
  table:
    'Mesa de apuestas. Use las flechas para moverse, Intro para colocar una ficha y Retroceso para retirar la última.',
  tableName: 'Mesa',
  chip: 'Ficha',
  undo: 'Deshacer',
  double: 'Doblar todas las fichas',
  clear: 'Vaciar',
  again: 'Repetir',
  kind: 'Colocar fichas en',
  kinds: {
    STRAIGHT: 'Números',
    NEIGHBOURS: 'Número y vecinos',
    SPLIT: 'Dos números (caballo)',
    STREET: 'Tres números (calle)',
    CORNER: 'Cuatro números (cuadro)',
    LINE: 'Seis números (línea)',
  },
  places: {
    STRAIGHT: (numbers) => `Número ${numbers}`,
    SPLIT: (numbers) => `Caballo ${numbers}`,
    STREET: (numbers) => `Calle ${numbers}`,
    CORNER: (numbers) => `Cuadro ${numbers}`,
    LINE: (numbers) => `Línea ${numbers}`,
    COLUMN: (which) => `Columna ${which}`,
    RED: () => 'Rojo',
    BLACK: () => 'Negro',
    ODD: () => 'Impar',
    EVEN: () => 'Par',
    LOW: () => '1–18',
    HIGH: () => '19–36',
  },
  short: { ODD: 'Impar', EVEN: 'Par', LOW: '1–18', HIGH: '19–36' },
  dozens: ['1.ª docena', '2.ª docena', '3.ª docena'],
  colors: COLORS,
  landed: (at, color) => `${number(at)} ${COLORS[color].toLowerCase()}`,
  facts: (color, parity, half) => `${color}, ${parity.toLowerCase()}, ${half}`,
  zero: 'Cero',
  recent: 'Números de esta sesión',
} satisfies typeof en.roulette;

export const speed = {
  action: 'Apostar',
  color: 'Color',
  placed: (amount, color) => `${amount} al ${COLORS[color].toLowerCase()}`,
  phases: { BETTING: 'Hagan sus apuestas', WAITING: 'No va más', RESULT: 'Resultado' },
  closed: 'Espere a la próxima ronda',
  late: 'Demasiado tarde: ya no se admiten apuestas',
  strip: 'Ruleta con 15 números',
  recent: 'Últimos resultados, los más recientes primero',
  stats: (rounds) => plural(rounds, { one: 'Última ronda', other: 'Últimas # rondas' }),
  you: 'Usted',
  hiddenName: 'Oculto',
  bets: (count) => plural(count, { one: '# apuesta', other: '# apuestas' }),
  guest: 'Inicie sesión para ver la ronda en curso y todas sus apuestas',
  none: 'Aún no hay apuestas',
} satisfies typeof en.speed;
