import { readFileSync } from 'node:fs';
import { defineModule } from '../../../http/module.ts';
import { bind } from '../../../http/operation.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { Abandoned, GiveUp } from '../betting/abandoned.ts';
import { createAbandoned } from '../betting/abandoned.ts';
import type { Rounds } from '../betting/rounds.ts';
import type { Fairness } from '../fairness/service.ts';
import {
  actInBlackjack,
  dealBlackjack,
  dealGivenDeck,
  getBlackjackConfig,
  getBlackjackRound,
} from './blackjack/play.ts';
import { giveUpBlackjack } from './blackjack/rules.ts';
import { autoSpin, cashOut, getBoard, getMinesConfig, openCell, startMines } from './mines/play.ts';
import { giveUpMines } from './mines/rules.ts';
import { cashOutRun, getRun, getRunConfig, makeStep, startRun } from './monkey-run/play.ts';
import { giveUpMonkeyRun } from './monkey-run/rules.ts';
import { getProof } from './proof.ts';
import { publicConfigsOf } from './public.ts';
import type { ReturnAlerts } from './returns/alerts/service.ts';
import { createReturnAlerts, type ReturnAlertOptions } from './returns/alerts/service.ts';
import { checks } from './returns/checks.ts';
import { getRtpReport } from './returns/report.ts';
import type { Returns } from './returns/service.ts';
import { createReturns } from './returns/service.ts';
import { houseGameEvents } from './schemas.ts';
import { createHouseGames, type HouseGameDeps, type HouseGames } from './settings.ts';
import { dice, keno, limbo, plinko, roulette } from './single-step.ts';
import { getConfig } from './speed-roulette/bet.ts';
import { changeSettings, getSettings, setKillSwitch } from './staff.ts';

type Services = HouseGameDeps & {
  db: Db;
  reads: Db;
  databaseClock: Clock;
  fairness: Fairness;
  abandoned: Abandoned;
  returns: Returns;
  returnAlerts: ReturnAlerts;
  config: { isDevelopment: boolean };
};

type Before = Omit<ReturnAlertOptions, 'clock' | 'log' | 'returns'> &
  Parameters<typeof createReturns>[0] & {
    databaseClock: Clock;
    log: Logs;
    rounds: Rounds;
    config: { ROUND_ABANDONED_HOURS: number };
  };

/** Settings of the house games. They are in a separate module, because the bets module depends on them. */
export const gameSettings = defineModule({
  name: 'game-settings',
  tags: {
    Casino:
      'All games: the catalogue and favorites, and bets on the house games: single-step, in rounds, and in shared rounds.',
    'Admin Casino':
      'Games and providers, main page and commission rules; settings, kill switches and returns of house games.',
  },
  events: houseGameEvents,
  create: ({ log, ...before }: { db: Db; databaseClock: DatabaseClock; log: Logs }) => ({
    games: createHouseGames({ ...before, log: log.named('bets') }),
  }),
  start: ({ games }: { games: HouseGames }) => games.start(),
  close: ({ games }: { games: HouseGames }) => games.close(),
});

/** The operations of the games, except those of speed-roulette. */
const PLAY = [
  ...[...dice, ...limbo, ...keno, ...plinko, ...roulette],
  ...[startMines, openCell, cashOut, autoSpin, getBoard, getMinesConfig],
  ...[startRun, makeStep, cashOutRun, getRun, getRunConfig],
  ...[dealBlackjack, actInBlackjack, getBlackjackRound, getBlackjackConfig],
];

export const houseGames = defineModule({
  name: 'house-games',
  checks,
  create(before: Before) {
    const { db, rounds, config, databaseClock: clock } = before;
    const log = before.log.named('bets');
    const returns = createReturns(before);
    const afterMs = config.ROUND_ABANDONED_HOURS * 3_600_000;
    return {
      returns,
      returnAlerts: createReturnAlerts({ ...before, clock, log, returns }),
      abandoned: createAbandoned({ db, rounds, giveUps: GIVE_UPS, log, afterMs }),
    };
  },
  operations: [
    ...PLAY,
    publicConfigsOf([...PLAY, getConfig]),
    ...[getSettings, changeSettings, setKillSwitch, getRtpReport, getProof],
  ],
  // Deals prearranged cards, for tests and front-end developers.
  routes: (s: Services) => (s.config.isDevelopment ? bind([dealGivenDeck], s) : []),
  jobs: ({ abandoned, returnAlerts }: Services) => [
    { name: 'rounds.abandoned', everyMs: 60_000, run: () => abandoned.sweep() },
    { name: 'returns.check', everyMs: 600_000, run: () => returnAlerts.check() },
  ],
  consumers: ({ returns }: Services) => [returns],
});

/** Functions that end abandoned rounds, by game. */
const GIVE_UPS: Readonly<Record<string, GiveUp>> = {
  mines: (round, next) => giveUpMines(round as Parameters<typeof giveUpMines>[0], next!),
  'monkey-run': (round, next) => giveUpMonkeyRun(round as Parameters<typeof giveUpMonkeyRun>[0], next!),
  blackjack: (round, next) => giveUpBlackjack(round as Parameters<typeof giveUpBlackjack>[0], next),
};

/** The page on which anyone can verify bets. It is built by `npm run build verifier`. */
export const verifierPage = () => ({
  name: 'verify',
  path: '/verify',
  about: 'verifies any bet in your browser',
  html: () => readFileSync(new URL('../../../../web/verifier/verify.html', import.meta.url), 'utf8'),
});
