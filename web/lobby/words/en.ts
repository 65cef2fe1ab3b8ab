import { kit } from '../../kit/words.ts';
import { account, accountCodes } from './account.en.ts';
import { catalogue } from './catalogue.en.ts';
import { gameCodes, games } from './games.en.ts';
import { money, moneyCodes } from './money.en.ts';
import { protection, protectionCodes } from './protection.en.ts';

const LIMITS = { DEPOSIT: 'deposits', WAGER: 'stakes', LOSS: 'losses', SESSION: 'playing time' } as const;
const PERIODS = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const;

/** Why the server said no, by its code; a code without words is told in the server's. */
const codes: Readonly<Record<string, string>> = {
  ...accountCodes,
  ...gameCodes,
  ...moneyCodes,
  ...protectionCodes,
};

/** What the lobby says in English; the other languages say the same. */
export const en = {
  kit: { ...kit, refusal: ({ code, message }: { code: string; message: string }) => codes[code] ?? message },
  page: { missing: 'Not here', missingHint: 'There is no such page. The menu has those that there are.' },
  frame: {
    toPage: 'To the page',
    account: 'Account',
    menu: 'Menu',
    wallet: 'Wallet',
    currency: 'Currency',
    language: 'Language',
    light: 'Light',
    dark: 'Dark',
    live: 'live',
    notLive: 'not live',
  },
  menu: {
    games: 'Games',
    live: 'Live bets',
    bets: 'My bets',
    fairness: 'Fairness',
    wallet: 'Wallet',
    protection: 'Protection',
    help: 'Help',
  },
  entry: {
    signIn: 'Sign in',
    signUp: 'Sign up',
    signOut: 'Sign out',
    email: 'E-mail',
    password: 'Password',
    username: 'Username',
    newPassword: 'Password, eight characters or more',
    forgot: 'Password forgotten?',
    code: 'Code of your authenticator app, or a recovery code',
    factor: 'Second factor',
    passkey: 'Sign in with a passkey',
    usePasskey: 'Use a passkey',
    by: 'Or with',
    provider: { google: 'Google', steam: 'Steam' },
    affiliate: 'Code of who brought you, if you have one',
    mails: 'Send me offers by e-mail',
    adult: 'Games of chance are for adults. You can set limits, pause, or exclude yourself at any time.',
  },
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
  ...catalogue,
  ...games,
  play: {
    bet: 'Bet',
    stage: 'Game',
    stake: 'Stake',
    quick: 'Quick play',
    notAnAmount: 'That is not an amount.',
    tooLittle: 'You have less than that.',
    chance: (percent: number) => `Chance ${percent} %`,
    pays: (multiplier: number) => `pays ${multiplier} ×`,
    paid: {
      lost: 'Lost.',
      back: (paid: string, stake: string) => `You get ${paid} of your ${stake} back.`,
      won: (paid: string) => `You get ${paid}.`,
    },
  },
  dice: {
    over: 'Above',
    under: 'Below',
    above: (threshold: number) => `Above ${threshold}`,
    below: (threshold: number) => `Below ${threshold}`,
    track: 'The line from 0 to 100, with what wins',
  },
  fair: {
    title: 'Fairness',
    commitment: 'Commitment to the seed in force',
    next: 'Commitment to the next seed',
    yours: 'Your seed',
    nonce: 'Bets with it',
    newSeed: 'A new seed of yours (empty: a random one)',
    rotate: 'Reveal the seed and take new ones',
    rotated: 'The seed is revealed',
    revealed: 'The seed that was in force:',
    check: 'Check the last bet',
  },
  protect: {
    time: (minutes: number) => `${minutes} min`,
    net: (usd: string) => `${usd} USD since you came`,
    limits: 'Limits and pauses',
    left: (type: keyof typeof LIMITS, period: keyof typeof PERIODS) =>
      `Left of the limit of ${LIMITS[type]} for the ${PERIODS[period]}:`,
    minutes: (minutes: string) => `${minutes} min`,
    checkTitle: 'A moment to look',
    check: (minutes: number, usd: string) =>
      `You have been here for ${minutes} minutes. Your result in that time: ${usd} USD.`,
    pause: 'Pause or set a limit',
    goOn: 'Go on playing',
  },
  account,
  money,
  protection,
  codes,
};

export type Words = typeof en;
