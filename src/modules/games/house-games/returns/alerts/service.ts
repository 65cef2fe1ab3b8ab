import { type Clock, iso } from '../../../../../platform/clock.ts';
import type { Config } from '../../../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../../../platform/db.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { Metrics } from '../../../../../platform/metrics.ts';
import { emitEvent } from '../../../../base/events/service.ts';
import type { Mail } from '../../../../base/mail/service.ts';
import { FAILURES, TESTED_GAMES, type Test, type TestedGame, testPositions } from '../positions/rules.ts';
import type { Returns } from '../service.ts';
import { bandOf, NORMAL, type Period, type Sums } from '../sums/rules.ts';
import { type Due, dueGames, type Game, judgeOnce, showAlerts } from './record.ts';
import { DAY_MS, judge, lastMidnight, lastWholeDay, windowMs } from './rules.ts';

export type ReturnAlerts = ReturnType<typeof createReturnAlerts>;

type Deps = {
  db: Db;
  clock: Clock;
  config: Pick<Config, 'ALERT_EMAIL'>;
  log: Log;
  metrics: Metrics;
  mail: Pick<Mail, 'send'>;
  returns: Pick<Returns, 'sums' | 'positions'>;
};
type Window = { game: Game; until: Date; hours: number; sums: Sums };
type Tested = { id: number; slug: TestedGame };

/**
 * Looks once a day, after midnight in UTC, whether the games return what they should and whether all that comes up in them does so
 * equally often, and tells staff when not.
 */
export function createReturnAlerts(parts: Deps) {
  const { db, clock, log } = parts;
  return {
    async check(): Promise<void> {
      const now = new Date(clock.now());
      const until = lastMidnight(now);
      for (const game of await dueGames(db, 'RETURN', until)) {
        const facts = await watchReturn(parts, { game, kind: 'RETURN', until });
        if (facts) log.warn(facts, 'a game returns something else than it should');
      }
      const end = lastWholeDay(now);
      for (const game of (await dueGames(db, 'UNIFORMITY', end)).filter(isTested)) {
        const facts = await watchPositions(parts, { game, kind: 'UNIFORMITY', until: end });
        if (facts) log.warn(facts, 'what comes up in a game is uneven');
      }
      await showAlerts(db, parts.metrics);
    },
  };
}

const isTested = (game: Game): game is Tested => (TESTED_GAMES as string[]).includes(game.slug);

/** Answers the facts for the log when an alert is raised. */
async function watchReturn(parts: Deps, due: Due) {
  const { game, until } = due;
  const window = await windowOf(parts, game, until);
  const verdict = judge(game.slug, window.sums);
  return transaction(parts.db, async (tx) => {
    const facts = await judgeOnce(tx, due, () => ({ verdict, facts: factsOf(window, verdict) }));
    if (facts) await alert(tx, 'RETURN_ALERT', game);
    const to = parts.config.ALERT_EMAIL;
    if (facts && to) {
      const { bets, actual, band } = facts;
      const data = { game: game.slug, bets: String(bets), actual, band, at: facts.until };
      await parts.mail.send(tx, { to, template: 'return-alert', data });
    }
    return facts;
  });
}

const alert = (tx: Tx, kind: 'RETURN_ALERT' | 'UNIFORMITY_ALERT', { slug: id }: Game) =>
  emitEvent(tx, { event: 'admin.alert', data: { kind, id } });

async function windowOf({ returns }: Deps, game: Game, until: Date): Promise<Window> {
  const since = (ms: number) => returns.sums(game.id, { from: new Date(until.getTime() - ms), until });
  const day = await since(DAY_MS);
  const length = windowMs(day.bets + day.apartBets);
  const sums = await since(length);
  return { game, until, hours: length / 3_600_000, sums };
}

function factsOf({ game, until, hours, sums }: Window, verdict: string) {
  const band = bandOf(sums, NORMAL);
  return {
    game: game.slug,
    until: iso(until),
    hours,
    verdict,
    bets: Number(sums.bets),
    actual: percent(band?.actual),
    band: `${percent(band?.low)} – ${percent(band?.high)}`,
  };
}

/**
 * Tests what came up since the last test, or ever. A day with too little is no test: it waits for the next ones, and so do days on which
 * no test ran or not all bets were consumed.
 */
function watchPositions({ db, returns, config, mail }: Deps, due: Due & { game: Tested }) {
  const { game, until } = due;
  return transaction(db, async (tx) => {
    const facts = await judgeOnce(tx, due, async (untestedFrom) => {
      const period = { from: untestedFrom ?? new Date(0), until };
      const counts = await returns.positions(tx, game, period);
      if (!counts) return undefined;
      const test = testPositions(game.slug, counts);
      return {
        verdict: test.verdict,
        facts: factsOfTest(game, period, test),
        failures: FAILURES,
        untestedFrom: test.verdict === 'FEW' ? untestedFrom : until,
      };
    });
    if (facts) await alert(tx, 'UNIFORMITY_ALERT', game);
    const to = config.ALERT_EMAIL;
    if (facts && to) {
      const data = { game: game.slug, rounds: String(facts.rounds), chance: facts.chance, at: facts.until };
      await mail.send(tx, { to, template: 'uniformity-alert', data });
    }
    return facts;
  });
}

function factsOfTest(game: Game, { from, until }: Period, { verdict, rounds, statistic, degrees, p }: Test) {
  return {
    game: game.slug,
    from: iso(from),
    until: iso(until),
    verdict,
    rounds,
    chiSquare: Number(statistic.toFixed(4)),
    degrees,
    chance: percent(100 * p),
  };
}

const percent = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(4)} %`);
