import { multiplier, unit } from '../../kit/intl.ts';
import type { Frame } from './en.ts';
import { frame } from './frame.es.ts';
import { kit } from './kit.es.ts';

export const es: Frame = {
  ...frame,
  kit,
  games: {
    dice: 'Dice',
    limbo: 'Limbo',
    keno: 'Keno',
    plinko: 'Plinko',
    roulette: 'Ruleta',
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
      lost: 'Sin premio',
      back: (paid, stake) => `Recupera ${paid} de ${stake}`,
      even: (stake) => `Recupera ${stake}`,
      won: (paid) => `Ha ganado ${paid}`,
    },
  },
  fair: {
    title: 'Juego verificable',
    commitment: 'Semilla del servidor (hash)',
    next: 'Siguiente semilla del servidor (hash)',
    yours: 'Semilla del cliente',
    nonce: 'Nonce',
    rotated: 'Semillas cambiadas',
    round: 'Semilla de esta ronda (hash)',
    chain: 'Cada ronda usa la siguiente semilla de una cadena. Publicamos el hash de la cadena de antemano.',
  },
  protect: {
    time: (minutes) => unit(minutes, 'minute'),
    net: (usd) => `Neto ${usd}`,
    limits: 'Límites',
    minutes: (minutes) => unit(Number(minutes), 'minute'),
    checkTitle: 'Aviso de tiempo de juego',
    check: (minutes) => `Lleva jugando ${unit(minutes, 'minute', 'long')}. ¿Quiere seguir?`,
    playing: 'Tiempo de juego',
    result: 'Resultado neto',
    pause: 'Fijar un límite o descansar',
    goOn: 'Seguir jugando',
  },
  notice: {
    title: 'Está en un descanso',
    lasts: 'No puede jugar ni depositar hasta:',
    forGood: 'Se ha autoexcluido. No puede jugar ni depositar.',
    may: 'Su dinero sigue siendo suyo y puede retirarlo. La página de ayuda ofrece apoyo gratuito y confidencial.',
    offers: 'Durante este tiempo no le mostraremos ofertas. Conserva todo lo que ha ganado.',
    withdraw: 'Retirar',
    open: 'Hay una ronda abierta. Puede terminarla:',
    finish: 'Está en un descanso. Puede terminar esta ronda, pero no hacer apuestas nuevas.',
  },
};
