import { sql } from 'kysely';
import { type Clock, iso } from '../../../../../platform/clock.ts';
import type { Config } from '../../../../../platform/config/config.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../../../platform/database/db.ts';
import type { Log } from '../../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../../platform/observability/metrics.ts';
import { baseEvents } from '../../../../base/events/schemas.ts';
import { emitEvent } from '../../../../base/events/service.ts';
import type { MailInput } from '../../../../base/mail/schemas.ts';
import type { Mail } from '../../../../base/mail/service.ts';
import type { Returns } from '../service.ts';
import { bandOf, NORMAL, type Period, type Sums } from '../sums/rules.ts';
import {
  DAY_MS,
  FAILURES,
  judge,
  lastMidnight,
  lastWholeDay,
  TESTED_GAMES,
  type Test,
  type TestedGame,
  testPositions,
  type Verdict,
  watch,
  windowMs,
} from './rules.ts';

export type ReturnAlerts = ReturnType<typeof createReturnAlerts>;

export type ReturnAlertOptions = {
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
 * Once a day, after midnight UTC, checks that the games' RTPs are within their bands and that equally likely results occur equally often.
 * Alerts staff otherwise.
 */
export function createReturnAlerts(parts: ReturnAlertOptions) {
  const { db, clock, log } = parts;
  return {
    async check(): Promise<void> {
      const now = new Date(clock.now());
      const until = lastMidnight(now);
      for (const game of await dueGames(db, 'RETURN', until)) {
        const facts = await watchReturn(parts, { game, kind: 'RETURN', until });
        if (facts) log.warn(facts, 'return of a game is outside its band');
      }
      const end = lastWholeDay(now);
      for (const game of (await dueGames(db, 'UNIFORMITY', end)).filter(isTested)) {
        const facts = await watchPositions(parts, { game, kind: 'UNIFORMITY', until: end });
        if (facts) log.warn(facts, 'results of a game are not uniform');
      }
      await showAlerts(db, parts.metrics);
    },
  };
}

const isTested = (game: Game): game is Tested => (TESTED_GAMES as string[]).includes(game.slug);

/** Returns the fields to log if an alert is raised. */
async function watchReturn(parts: ReturnAlertOptions, due: Due) {
  const { game, until } = due;
  const window = await windowOf(parts, game, until);
  const verdict = judge(game.slug, window.sums);
  return transaction(parts.db, async (tx) => {
    const facts = await judgeOnce(tx, due, () => ({ verdict, facts: factsOf(window, verdict) }));
    if (!facts) return undefined;
    const { bets, actual, band, until: at } = facts;
    const data = { game: game.slug, bets: String(bets), actual, band, at };
    await alertStaff(parts, tx, due, { template: 'return-alert', data });
    return facts;
  });
}

/** Alerts staff through the socket, and by email if an address is configured. */
async function alertStaff<T extends 'return-alert' | 'uniformity-alert'>(
  { config, mail }: ReturnAlertOptions,
  tx: Tx,
  { game, kind }: Due,
  message: { template: T; data: MailInput<T> },
): Promise<void> {
  await emitEvent(tx, { event: baseEvents['admin.alert'], data: { kind: `${kind}_ALERT`, id: game.slug } });
  if (config.ALERT_EMAIL) await mail.send(tx, { to: config.ALERT_EMAIL, ...message });
}

async function windowOf({ returns }: ReturnAlertOptions, game: Game, until: Date): Promise<Window> {
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
 * Tests all results since the last test. A day that could not be tested (too few rounds, no run of this job, or bets not consumed yet) is
 * tested together with the following days.
 */
function watchPositions(parts: ReturnAlertOptions, due: Due & { game: Tested }) {
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
    await alertStaff(parts, tx, due, { template: 'uniformity-alert', data });
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

type Kind = 'RETURN' | 'UNIFORMITY';
type Game = { id: number; slug: string };
/** A game's window that ends at `until`. */
type Due = { game: Game; kind: Kind; until: Date };

/**
 * The verdict on a window. `failures`: the number of consecutive failed windows that raise an alert, if it differs from the default.
 * `untestedFrom`: start of the next window.
 */
type Found<F> = { verdict: Verdict; facts: F; failures?: number; untestedFrom?: Date | null };

/** Finds the house games whose window of this kind, ending at `until`, has not been evaluated yet. */
const dueGames = (db: DbOrTx, kind: Kind, until: Date): Promise<Game[]> =>
  db
    .selectFrom('games')
    .leftJoin('return_alerts', (on) =>
      on.onRef('return_alerts.game_id', '=', 'games.id').on('kind', '=', kind),
    )
    .select(['games.id', 'games.slug'])
    .where('games.type', '=', 'HOUSE_GAME')
    .where((eb) => eb.or([eb('judged_until', 'is', null), eb('judged_until', '<', until)]))
    .orderBy('games.id')
    .execute();

/**
 * Evaluates a window once, even if several processes try, and returns the fields to log if it raises an alert. `judge` is called with the
 * row locked and returns undefined if the window cannot be evaluated yet.
 */
async function judgeOnce<F>(
  tx: Tx,
  { game, kind, until }: Due,
  judge: (untestedFrom: Date | null) => Promise<Found<F> | undefined> | Found<F>,
): Promise<F | undefined> {
  await tx
    .insertInto('return_alerts')
    .values({ game_id: game.id, kind, judged_until: new Date(0) })
    .onConflict((oc) => oc.doNothing())
    .execute();
  const row = await tx
    .selectFrom('return_alerts')
    .select(['misses', 'judged_until', 'raised_at', 'untested_from'])
    .where('game_id', '=', game.id)
    .where('kind', '=', kind)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (row.judged_until >= until) return undefined;
  const found = await judge(row.untested_from);
  if (!found) return undefined;
  const before = { misses: row.misses, isRaised: row.raised_at !== null };
  const { misses, isRaised, isNew } = watch(before, found.verdict, found.failures);
  const raised = isNew ? sql<Date>`now()` : row.raised_at;
  await tx
    .updateTable('return_alerts')
    .set({ misses, judged_until: until, raised_at: isRaised ? raised : null })
    .set({ facts: JSON.stringify(found.facts), untested_from: found.untestedFrom ?? null })
    .where('game_id', '=', game.id)
    .where('kind', '=', kind)
    .execute();
  return isNew ? found.facts : undefined;
}

/** Updates the metrics with the raised alerts. */
async function showAlerts(db: Db, metrics: Metrics): Promise<void> {
  const rows = await db
    .selectFrom('return_alerts')
    .innerJoin('games', 'games.id', 'game_id')
    .select(['slug', 'kind', 'raised_at'])
    .execute();
  for (const { slug, kind, raised_at } of rows)
    metrics.returnAlerts.set({ game: slug, kind }, raised_at === null ? 0 : 1);
}
