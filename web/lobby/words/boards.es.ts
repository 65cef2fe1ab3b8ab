import { list, number, plural } from '../../kit/intl.ts';
import type * as en from './boards.en.ts';

export const board = {
  risk: 'Riesgo',
  risks: { CLASSIC: 'Clásico', LOW: 'Bajo', MEDIUM: 'Medio', HIGH: 'Alto' },
  autoPick: 'Al azar',
  clear: 'Borrar',
  move: 'Mover',
  cashOut: 'Cobrar',
  cashOutFor: (amount) => `Cobrar ${amount}`,
  goesOn: 'Su ronda sigue abierta',
  asking: 'Buscando una ronda abierta…',
} satisfies typeof en.board;

export const keno = {
  board: 'Números del 1 al 40. Use las flechas para moverse e Intro para elegir.',
  number: (n, isDrawn) => (isDrawn ? `${number(n)}, sorteado` : number(n)),
  pick: (most) => `Elija de 1 a ${number(most)} números`,
  picked: (numbers) => `Elegidos: ${list(numbers.map((n) => number(n)))}`,
  payouts: 'Pagos',
  hits: (hits) => plural(hits, { one: '# acierto', other: '# aciertos' }),
  result: (hits, of, paid) =>
    `${plural(hits, { one: '# acierto', other: '# aciertos' })} de ${number(of)} · ${paid}`,
} satisfies typeof en.keno;

export const plinko = {
  action: 'Soltar bola',
  rows: 'Filas',
  landed: (at, paid) => `${at} · ${paid}`,
  board: (rows, risk, payouts) =>
    `Tablero de Plinko. Filas: ${number(rows)}. Riesgo: ${risk}. Casillas de izquierda a derecha: ${list(payouts)}`,
} satisfies typeof en.plinko;

export const mines = {
  size: 'Tablero',
  sides: (side) => `${number(side)} × ${number(side)}`,
  bombs: 'Minas',
  grid: 'Casillas. Use las flechas para moverse e Intro para descubrir.',
  cell: (row, column) => `Fila ${number(row)}, columna ${number(column)}`,
  holds: (cell, content) => `${cell}: ${content}`,
  cells: { GEM: 'gema', BOMB: 'mina', PICKED: 'elegida' },
  rest: { GEM: 'gema, mostrada al final', BOMB: 'mina, mostrada al final' },
  found: 'Gemas',
  foundOf: (gems, of) => `${number(gems)} de ${number(of)}`,
  next: 'Siguiente gema',
  picked: 'Elegidas',
  allSafe: 'Multiplicador',
  random: 'Casilla al azar',
  first: 'Descubra primero una casilla',
  pick: 'Elija las casillas que se descubrirán en cada ronda',
  ladder: 'Multiplicadores',
  now: 'ahora',
  gems: (gems) => plural(gems, { one: '# gema', other: '# gemas' }),
  begun: (bombs) =>
    plural(bombs, {
      one: 'Hay # mina oculta. Descubra una casilla.',
      other: 'Hay # minas ocultas. Descubra una casilla.',
    }),
  safe: (at) => `Gema · ${at}`,
  lost: (paid) => `Mina · ${paid}`,
  out: (at, paid) => `${at} · ${paid}`,
} satisfies typeof en.mines;

export const monkey = {
  difficulty: 'Dificultad',
  difficulties: { EASY: 'Fácil', MEDIUM: 'Media', HARD: 'Difícil', EXPERT: 'Experto' },
  traps: (traps, of) =>
    plural(traps, {
      one: `# trampa en ${number(of)} casillas`,
      other: `# trampas en ${number(of)} casillas`,
    }),
  tiles: 'Casillas en el río. Use las flechas para moverse e Intro para saltar.',
  tile: (tile, at, note) =>
    note ? `Casilla ${number(tile)}, ${at}: ${note}` : `Casilla ${number(tile)}, ${at}`,
  isHere: 'el mono está aquí',
  isTrap: 'trampa',
  now: 'Ahora',
  next: 'Siguiente casilla',
  jump: 'Saltar',
  jumpTo: (tile) => `Saltar a la casilla ${number(tile)}`,
  first: 'Salte primero a una casilla',
  target: 'Correr hasta la casilla',
  targetAt: (tile, at) => `${number(tile)} · ${at}`,
  begun: 'El mono está listo. Salte a la primera casilla.',
  safe: (at, payout) => `A salvo · ${at} · Puede cobrar ${payout}`,
  lost: (tile, paid) => `Trampa en la casilla ${number(tile)} · ${paid}`,
  out: (at, paid, trap) => `${at} · ${paid} · Primera trampa: casilla ${number(trap)}`,
} satisfies typeof en.monkey;
