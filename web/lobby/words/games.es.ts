import type * as en from './games.en.ts';

export const house = {
  limits: (least, most, profit) =>
    `De ${least} a ${most} USD. Una apuesta puede ganar ${profit} USD como máximo.`,
  risk: 'Riesgo',
  risks: {
    CLASSIC: 'Clásico',
    LOW: 'Bajo',
    MEDIUM: 'Medio',
    HIGH: 'Alto',
    EASY: 'Fácil: 1 trampa',
    HARD: 'Difícil: 5 trampas',
    EXPERT: 'Muy difícil: 10 trampas',
  },
  clear: 'Vaciar',
  colours: { RED: 'rojo', BLACK: 'negro', GREEN: 'verde' },
  cashOut: (multiplier) => `Cobrar a ${multiplier} ×`,
  goesOn: 'Su ronda abierta continúa.',
} satisfies typeof en.house;

export const series = {
  title: 'Juego automático',
  count: 'Número de apuestas',
  win: 'Parar cuando una apuesta gane más de (USD)',
  fallen: 'Parar cuando haya perdido (USD)',
  risen: 'Parar cuando haya ganado (USD)',
  hint: (atOnce) =>
    `Con una condición, cada apuesta espera a la anterior. Sin ella se hacen ${atOnce} apuestas a la vez. De media, muchas apuestas pierden más que una.`,
  wrong: 'Revise los números: de 1 a 1000 apuestas, importes como 12.50.',
  start: 'Empezar',
  stop: 'Parar',
  left: (count) => `quedan ${count}`,
  net: 'Resultado:',
  stopped: 'Lo ha parado usted.',
  held: 'Parado por el control de tiempo.',
  done: 'Todas las apuestas están hechas.',
  refused: 'Parado: una apuesta fue rechazada.',
  unknown: (count) => `Parado: mire sus apuestas, aún no se sabe el resultado de ${count}.`,
  byWin: 'Parado: una apuesta ganó más que eso.',
  byFall: 'Parado: ha perdido esa cantidad.',
  byRise: 'Parado: ha ganado esa cantidad.',
} satisfies typeof en.series;

export const limbo = {
  target: 'Objetivo (×)',
  range: (least, most) => `De ${least} a ${most}, con dos decimales como máximo.`,
  line: 'La línea de 1 a 1.000.000, con lo que gana',
} satisfies typeof en.limbo;

export const keno = {
  board: 'Números del 1 al 40',
  choose: (most) => `Elija de 1 a ${most} números.`,
  random: 'Elegir por mí',
  hits: (hits, of) => `${hits} de sus ${of} números.`,
  hit: (hits) => (hits === 1 ? '1 acierto' : `${hits} aciertos`),
  table: 'Lo que paga cada número de aciertos',
} satisfies typeof en.keno;

export const plinko = {
  rows: 'Filas de clavos',
  landed: (bucket, of, multiplier) => `Casilla ${bucket} de ${of}, ${multiplier} ×.`,
  board: (rows, pays) => `Un tablero de ${rows} filas. Casillas de izquierda a derecha: ${pays}`,
} satisfies typeof en.plinko;

export const roulette = {
  wheel: 'La rueda',
  table: 'La mesa. Las flechas mueven, Intro pone una ficha, Retroceso retira la última.',
  chip: 'Ficha (USD)',
  undo: 'Retirar la última ficha',
  double: 'Doblar todas las fichas',
  clear: 'Retirar todas las fichas',
  lay: 'Ponga fichas en la mesa.',
  types: {
    STRAIGHT: 'Número',
    SPLIT: 'Dos números',
    STREET: 'Fila',
    CORNER: 'Cuadro',
    LINE: 'Dos filas',
    DOZEN: 'Docena',
    COLUMN: 'Columna',
    RED: 'Rojo',
    BLACK: 'Negro',
    ODD: 'Impar',
    EVEN: 'Par',
    LOW: '1 a 18',
    HIGH: '19 a 36',
  },
  short: { RED: 'Rojo', BLACK: 'Negro', ODD: 'Impar', EVEN: 'Par', LOW: '1–18', HIGH: '19–36' },
} satisfies typeof en.roulette;

export const mines = {
  size: 'Campo',
  bombs: 'Bombas',
  picking: 'Elegir primero las casillas y abrirlas todas a la vez',
  openAll: 'Apostar y abrir las casillas',
  grid: 'El campo. Las flechas mueven, Intro abre una casilla.',
  cell: (row, column) => `Fila ${row}, columna ${column}`,
  cells: { GEM: 'gema', BOMB: 'bomba', PICKED: 'elegida' },
  next: (opened, multiplier) => `${opened} abiertas. Con la siguiente serán ${multiplier} ×.`,
  begun: (bombs) =>
    bombs === 1 ? 'Hay 1 bomba. Abra una casilla.' : `Hay ${bombs} bombas. Abra una casilla.`,
  safe: (multiplier) => `Una gema. Ahora ${multiplier} ×.`,
  bomb: 'Una bomba.',
  out: (multiplier) => `Terminada a ${multiplier} ×.`,
} satisfies typeof en.mines;

export const monkey = {
  difficulty: 'Dificultad',
  tiles: 'Veinte casillas. Las flechas mueven, Intro corre hasta ella.',
  tile: (tile, multiplier) =>
    multiplier === undefined ? `Casilla ${tile}, fuera de alcance` : `Casilla ${tile}, ${multiplier} ×`,
  isHere: 'el mono',
  isTrap: 'trampa',
  step: (multiplier) => `Siguiente casilla por ${multiplier} ×`,
  profit: 'Ganancia tras la siguiente casilla:',
  cashOut: (amount) => `Cobrar ${amount} USD`,
  begun: 'El mono está listo.',
  safe: (tile, amount) => `La casilla ${tile} es segura. Cobrar paga ${amount} USD.`,
  trap: (tile) => `La primera trampa estaba en la casilla ${tile}.`,
} satisfies typeof en.monkey;

export const blackjack = {
  deal: 'Repartir',
  sideBet: 'Pareja perfecta',
  sideBetHint: 'Una apuesta aparte en USD, vacío para ninguna: mismo rango paga 12, o 25 del mismo color.',
  dealer: 'Banca',
  hand: 'Su mano',
  handOf: (hand) => `Mano ${hand}`,
  yours: 'Su turno',
  soft: (total) => `${total} blando`,
  doubled: 'doblada',
  hidden: 'Una carta boca abajo',
  has: (cards, total) => `Tiene ${cards}: ${total}.`,
  dealerHas: (cards, total) => `La banca tiene ${cards}: ${total}.`,
  actions: {
    HIT: 'Pedir',
    STAND: 'Plantarse',
    DOUBLE: 'Doblar',
    SPLIT: 'Separar',
    INSURANCE: 'Seguro',
  },
  results: { WIN: '✓ Ganada', LOSE: '✕ Perdida', PUSH: '● Empate', BLACKJACK: '✓ Blackjack' },
  pairs: {
    NONE: 'sin pareja',
    MIXED_PAIR: 'pareja mixta',
    COLORED_PAIR: 'pareja del mismo color',
    PERFECT_PAIR: 'pareja perfecta',
  },
  suits: ['de corazones', 'de diamantes', 'de tréboles', 'de picas'],
  ranks: ['as', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'jota', 'reina', 'rey'],
} satisfies typeof en.blackjack;

export const speed = {
  colour: 'Color',
  placed: (amount, colour) => `${amount} al ${colour}.`,
  phases: {
    BETTING: 'Puede apostar',
    WAITING: 'No va más',
    RESULT: 'Resultado',
  },
  history: 'Los últimos resultados, el más nuevo primero',
  stats: 'Las últimas 100 rondas:',
  you: 'Usted',
} satisfies typeof en.speed;
