import { number, plural } from '../../kit/intl.ts';
import type * as en from './roulette.en.ts';

const COLORS = { RED: 'Vermelho', BLACK: 'Preto', GREEN: 'Verde' };

export const roulette = {
  action: 'Girar',
  place: 'Coloque suas fichas',
  total: (usd) => `Aposta total: ${usd}`,
  how: 'Clique em um número ou na linha entre dois números.',
  howByTouch: 'Toque em um número ou em uma casa da mesa.',
  wheel: 'Roda da roleta',
  table:
    'Mesa de apostas. Use as setas para mover, Enter para colocar uma ficha e Backspace para retirar a última.',
  tableName: 'Mesa',
  chip: 'Ficha',
  undo: 'Desfazer',
  double: 'Dobrar todas as fichas',
  clear: 'Limpar',
  again: 'Repetir',
  kind: 'Colocar fichas em',
  kinds: {
    STRAIGHT: 'Números',
    NEIGHBOURS: 'Número e vizinhos',
    SPLIT: 'Dois números',
    STREET: 'Três números (rua)',
    CORNER: 'Quatro números (canto)',
    LINE: 'Seis números (linha)',
  },
  places: {
    STRAIGHT: (numbers) => `Número ${numbers}`,
    SPLIT: (numbers) => `Dois números ${numbers}`,
    STREET: (numbers) => `Rua ${numbers}`,
    CORNER: (numbers) => `Canto ${numbers}`,
    LINE: (numbers) => `Linha ${numbers}`,
    COLUMN: (which) => `Coluna ${which}`,
    RED: () => 'Vermelho',
    BLACK: () => 'Preto',
    ODD: () => 'Ímpar',
    EVEN: () => 'Par',
    LOW: () => '1–18',
    HIGH: () => '19–36',
  },
  short: { ODD: 'Ímpar', EVEN: 'Par', LOW: '1–18', HIGH: '19–36' },
  dozens: ['1ª dúzia', '2ª dúzia', '3ª dúzia'],
  colors: COLORS,
  landed: (at, color) => `${number(at)} ${COLORS[color].toLowerCase()}`,
  facts: (color, parity, half) => `${color}, ${parity.toLowerCase()}, ${half}`,
  zero: 'Zero',
  recent: 'Números desta sessão',
} satisfies typeof en.roulette;

export const speed = {
  action: 'Apostar',
  color: 'Cor',
  placed: (amount, color) => `${amount} no ${COLORS[color].toLowerCase()}`,
  phases: { BETTING: 'Façam suas apostas', WAITING: 'Apostas encerradas', RESULT: 'Resultado' },
  closed: 'Aguarde a próxima rodada',
  late: 'Tarde demais: as apostas estão encerradas',
  strip: 'Roleta com 15 números',
  recent: 'Últimos resultados, os mais recentes primeiro',
  stats: (rounds) => plural(rounds, { one: 'Última rodada', other: 'Últimas # rodadas' }),
  you: 'Você',
  hiddenName: 'Oculto',
  bets: (count) => plural(count, { one: '# aposta', other: '# apostas' }),
  guest: 'Entre para ver a rodada atual e todas as apostas',
  none: 'Nenhuma aposta ainda',
} satisfies typeof en.speed;
