import { multiplier, unit } from '../../kit/intl.ts';
import type { Frame } from './en.ts';
import { frame } from './frame.pt.ts';
import { kit } from './kit.pt.ts';

export const pt: Frame = {
  ...frame,
  kit,
  games: {
    dice: 'Dice',
    limbo: 'Limbo',
    keno: 'Keno',
    plinko: 'Plinko',
    roulette: 'Roleta',
    mines: 'Mines',
    'monkey-run': 'Monkey Run',
    blackjack: 'Blackjack',
    'speed-roulette': 'Speed Roulette',
  },
  play: {
    bet: 'Apostar',
    tooLittle: 'Saldo insuficiente',
    pays: (value) => multiplier(value),
    paid: {
      lost: 'Sem prêmio',
      back: (paid, stake) => `${paid} de ${stake} devolvidos`,
      even: (stake) => `${stake} devolvidos`,
      won: (paid) => `Você ganhou ${paid}`,
    },
  },
  fair: {
    title: 'Jogo verificável',
    commitment: 'Semente do servidor (hash)',
    next: 'Próxima semente do servidor (hash)',
    yours: 'Semente do cliente',
    nonce: 'Nonce',
    rotated: 'Sementes trocadas',
    round: 'Semente desta rodada (hash)',
    chain: 'Cada rodada usa a próxima semente de uma cadeia. Publicamos o hash da cadeia com antecedência.',
  },
  protect: {
    time: (minutes) => unit(minutes, 'minute'),
    net: (usd) => `Líquido ${usd}`,
    limits: 'Limites',
    minutes: (minutes) => unit(Number(minutes), 'minute'),
    checkTitle: 'Aviso de tempo de jogo',
    check: (minutes) => `Você está jogando há ${unit(minutes, 'minute', 'long')}. Quer continuar?`,
    playing: 'Tempo de jogo',
    result: 'Resultado líquido',
    pause: 'Definir limite ou fazer uma pausa',
    goOn: 'Continuar jogando',
  },
  notice: {
    title: 'Você está em pausa',
    lasts: 'Você não pode jogar nem depositar até:',
    forGood: 'Você se autoexcluiu. Não pode jogar nem depositar.',
    may: 'Seu dinheiro continua sendo seu e você pode sacá-lo. A página de ajuda traz apoio gratuito e confidencial.',
    offers: 'Durante esse período, não mostraremos ofertas. Você mantém tudo o que ganhou.',
    withdraw: 'Sacar',
    open: 'Há uma rodada aberta. Você pode terminá-la:',
    finish: 'Você está em pausa. Pode terminar esta rodada, mas não fazer novas apostas.',
  },
};
