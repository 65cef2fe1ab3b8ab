import { multiplier, unit } from '../../kit/intl.ts';
import type { Frame } from './en.ts';
import { frame } from './frame.de.ts';
import { kit } from './kit.de.ts';

export const de: Frame = {
  ...frame,
  kit,
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
    bet: 'Setzen',
    tooLittle: 'Guthaben reicht nicht aus',
    pays: (value) => multiplier(value),
    paid: {
      lost: 'Kein Gewinn',
      back: (paid, stake) => `${paid} von ${stake} zurück`,
      even: (stake) => `${stake} zurück`,
      won: (paid) => `Gewonnen: ${paid}`,
    },
  },
  fair: {
    title: 'Nachweislich fair',
    commitment: 'Server-Seed (Hash)',
    next: 'Nächster Server-Seed (Hash)',
    yours: 'Client-Seed',
    nonce: 'Nonce',
    rotated: 'Seeds gewechselt',
    round: 'Seed dieser Runde (Hash)',
    chain:
      'Jede Runde verwendet den nächsten Seed einer Kette. Den Hash der Kette haben wir vorab veröffentlicht.',
  },
  protect: {
    time: (minutes) => unit(minutes, 'minute'),
    net: (usd) => `Netto ${usd}`,
    limits: 'Limits',
    minutes: (minutes) => unit(Number(minutes), 'minute'),
    checkTitle: 'Reality-Check',
    check: (minutes) => `Sie spielen seit ${unit(minutes, 'minute', 'long')}. Möchten Sie weiterspielen?`,
    playing: 'Spielzeit',
    result: 'Ergebnis',
    pause: 'Limit festlegen oder Pause machen',
    goOn: 'Weiterspielen',
  },
  notice: {
    title: 'Sie machen eine Pause',
    lasts: 'Spielen und Einzahlen sind gesperrt bis:',
    forGood: 'Sie haben sich selbst ausgeschlossen. Sie können weder spielen noch einzahlen.',
    may: 'Ihr Geld gehört weiterhin Ihnen, und Sie können es auszahlen. Auf der Hilfeseite finden Sie kostenlose, vertrauliche Beratung.',
    offers: 'In dieser Zeit zeigen wir Ihnen keine Angebote. Alles, was Sie erhalten haben, behalten Sie.',
    withdraw: 'Auszahlen',
    open: 'Eine Runde ist noch offen. Sie können sie zu Ende spielen:',
    finish:
      'Sie machen eine Pause. Diese Runde können Sie zu Ende spielen, neue Einsätze sind nicht möglich.',
  },
};
