import { type Clock, iso } from '../../../../../platform/clock.ts';
import type { Config } from '../../../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../../../platform/db.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { Metrics } from '../../../../../platform/metrics.ts';
import { emitEvent } from '../../../../base/events/service.ts';
import type { MailInput } from '../../../../base/mail/schemas.ts';
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
 * Checks once a day, after midnight in UTC, that the games return what they should and that equally likely results come up equally
 * often. Alerts staff where they do not.
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
    if (!facts) return undefined;
    const { bets, actual, band, until: at } = facts;
    const data = { game: game.slug, bets: String(bets), actual, band, at };
    await tellStaff(parts, tx, due, { template: 'return-alert', data });
    return facts;
  });
}

/** By the socket, and by mail where an address is configured. */
async function tellStaff<T extends 'return-alert' | 'uniformity-alert'>(
  { config, mail }: Deps,
  tx: Tx,
  { game, kind }: Due,
  message: { template: T; data: MailInput<T> },
): Promise<void> {
  await emitEvent(tx, { event: 'admin.alert', data: { kind: `${kind}_ALERT`, id: game.slug } });
  if (config.ALERT_EMAIL) await mail.send(tx, { to: config.ALERT_EMAIL, ...message });
}

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
 * Tests all results since the last test. Days with too few rounds for a test are tested together with the next ones, and so are days
 * on which no test ran or not all bets were consumed.
 */
function watchPositions(parts: Deps, due: Due & { game: Tested }) {
  const { game, until } = due;
  return transaction(parts.db, async (tx) => {
    const facts = await judgeOnce(tx, due, async (untestedFrom) => {
      const period = { from: untestedFrom ?? new Date(0), until };
      const counts = await parts.returns.positions(tx, game, period);
      if (!counts) return undefined;
      const test = testPositions(game.slug, counts);
      return {
        verdict: test.verdict,
        facts: factsOfTest(game, period, test),
        failures: FAILURES,
        untestedFrom: test.verdict === 'FEW' ? untestedFrom : until,
      };
    });
    if (!facts) return undefined;
    const data = { game: game.slug, rounds: String(facts.rounds), chance: facts.chance, at: facts.until };
    await tellStaff(parts, tx, due, { template: 'uniformity-alert', data });
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
