import { multiplier, unit } from '../../kit/intl.ts';
import { type KitWords, kit } from '../../kit/words.ts';
import { frame } from './frame.en.ts';

/** The lobby's texts in English. The other languages have the same texts. */
export const en = {
  ...frame,
  kit: kit as KitWords,
  games: {
    dice: 'Dice',
    limbo: 'Limbo',
    keno: 'Keno',
    plinko: 'Plinko',
    roulette: 'Roulette',
    mines: 'Mines',
    'monkey-run': 'Monkey Run',
    blackjack: 'Blackjack',
    'speed-roulette': 'Speed Roulette',
  },
  play: {
    bet: 'Bet',
    tooLittle: 'Not enough balance',
    pays: (value: number) => multiplier(value),
    paid: {
      lost: 'No win',
      back: (paid: string, stake: string) => `${paid} of ${stake} returned`,
      even: (stake: string) => `${stake} returned`,
      won: (paid: string) => `You won ${paid}`,
    },
  },
  fair: {
    title: 'Provably fair',
    commitment: 'Server seed (hashed)',
    next: 'Next server seed (hashed)',
    yours: 'Client seed',
    nonce: 'Nonce',
    rotated: 'Seeds changed',
    round: 'Seed of this round (hashed)',
    chain: 'Each round uses the next seed of a chain. We published the chain’s hash in advance.',
  },
  protect: {
    time: (minutes: number) => unit(minutes, 'minute'),
    net: (usd: string) => `Net ${usd}`,
    limits: 'Limits',
    minutes: (minutes: string) => unit(Number(minutes), 'minute'),
    checkTitle: 'Reality check',
    check: (minutes: number) =>
      `You’ve been playing for ${unit(minutes, 'minute', 'long')}. Do you want to keep playing?`,
    playing: 'Time played',
    result: 'Net result',
    pause: 'Set a limit or take a break',
    goOn: 'Keep playing',
  },
  notice: {
    title: 'You’re on a break',
    lasts: 'You can’t play or deposit until:',
    forGood: 'You’ve excluded yourself. You can’t play or deposit.',
    may: 'Your money is still yours, and you can withdraw it. The help page lists free, confidential support.',
    offers: 'We won’t show you any offers during this time. You keep everything you’ve earned.',
    withdraw: 'Withdraw',
    open: 'A round is still open. You can finish it:',
    finish: 'You’re on a break. You can finish this round, but you can’t place new bets.',
  },
};

export type Frame = typeof en;
