import { list, number, plural } from '../../kit/intl.ts';
import type * as en from './boards.en.ts';

export const board = {
  risk: 'Risco',
  risks: { CLASSIC: 'Clássico', LOW: 'Baixo', MEDIUM: 'Médio', HIGH: 'Alto' },
  autoPick: 'Aleatório',
  clear: 'Limpar',
  move: 'Mover',
  cashOut: 'Retirar',
  cashOutFor: (amount) => `Retirar ${amount}`,
  goesOn: 'Sua rodada ainda está aberta',
  asking: 'Procurando uma rodada aberta…',
} satisfies typeof en.board;

export const keno = {
  board: 'Números de 1 a 40. Use as setas para mover e Enter para escolher.',
  number: (n, isDrawn) => (isDrawn ? `${number(n)}, sorteado` : number(n)),
  pick: (most) => `Escolha de 1 a ${number(most)} números`,
  picked: (numbers) => `Escolhidos: ${list(numbers.map((n) => number(n)))}`,
  payouts: 'Pagamentos',
  hits: (hits) => plural(hits, { one: '# acerto', other: '# acertos' }),
  result: (hits, of, paid) =>
    `${plural(hits, { one: '# acerto', other: '# acertos' })} em ${number(of)} · ${paid}`,
} satisfies typeof en.keno;

export const plinko = {
  action: 'Soltar bola',
  rows: 'Linhas',
  landed: (at, paid) => `${at} · ${paid}`,
  board: (rows, risk, payouts) =>
    `Tabuleiro de Plinko. Linhas: ${number(rows)}. Risco: ${risk}. Casas da esquerda para a direita: ${list(payouts)}`,
} satisfies typeof en.plinko;

export const mines = {
  size: 'Tabuleiro',
  sides: (side) => `${number(side)} × ${number(side)}`,
  bombs: 'Minas',
  grid: 'Casas. Use as setas para mover e Enter para revelar.',
  cell: (row, column) => `Linha ${number(row)}, coluna ${number(column)}`,
  holds: (cell, content) => `${cell}: ${content}`,
  cells: { GEM: 'gema', BOMB: 'mina', PICKED: 'escolhida' },
  rest: { GEM: 'gema, mostrada no fim', BOMB: 'mina, mostrada no fim' },
  found: 'Gemas',
  foundOf: (gems, of) => `${number(gems)} de ${number(of)}`,
  next: 'Próxima gema',
  picked: 'Escolhidas',
  allSafe: 'Multiplicador',
  random: 'Casa aleatória',
  first: 'Revele primeiro uma casa',
  pick: 'Escolha as casas que cada rodada vai revelar',
  ladder: 'Multiplicadores',
  now: 'agora',
  gems: (gems) => plural(gems, { one: '# gema', other: '# gemas' }),
  begun: (bombs) =>
    plural(bombs, {
      one: 'Há # mina escondida. Revele uma casa.',
      other: 'Há # minas escondidas. Revele uma casa.',
    }),
  safe: (at) => `Gema · ${at}`,
  lost: (paid) => `Mina · ${paid}`,
  out: (at, paid) => `${at} · ${paid}`,
} satisfies typeof en.mines;

export const monkey = {
  difficulty: 'Dificuldade',
  difficulties: { EASY: 'Fácil', MEDIUM: 'Média', HARD: 'Difícil', EXPERT: 'Especialista' },
  traps: (traps, of) =>
    plural(traps, {
      one: `# armadilha em ${number(of)} casas`,
      other: `# armadilhas em ${number(of)} casas`,
    }),
  tiles: 'Casas no rio. Use as setas para mover e Enter para pular.',
  tile: (tile, at, note) => (note ? `Casa ${number(tile)}, ${at}: ${note}` : `Casa ${number(tile)}, ${at}`),
  isHere: 'o macaco está aqui',
  isTrap: 'armadilha',
  now: 'Agora',
  next: 'Próxima casa',
  jump: 'Pular',
  jumpTo: (tile) => `Pular para a casa ${number(tile)}`,
  first: 'Pule primeiro para uma casa',
  target: 'Correr até a casa',
  targetAt: (tile, at) => `${number(tile)} · ${at}`,
  begun: 'O macaco está pronto. Pule para a primeira casa.',
  safe: (at, payout) => `Segura · ${at} · Pode retirar ${payout}`,
  lost: (tile, paid) => `Armadilha na casa ${number(tile)} · ${paid}`,
  out: (at, paid, trap) => `${at} · ${paid} · Primeira armadilha: casa ${number(trap)}`,
} satisfies typeof en.monkey;
