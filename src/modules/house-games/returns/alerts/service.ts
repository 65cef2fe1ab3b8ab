import { sql } from 'kysely';
import { type Clock, iso } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Metrics } from '../../../../platform/metrics.ts';
import type { Mail } from '../../../mail/service.ts';
import type { Returns } from '../service.ts';
import { bandOf, NORMAL, type Sums } from '../sums/rules.ts';
import { DAY_MS, judge, lastMidnight, watch, windowMs } from './rules.ts';

export type ReturnAlerts = ReturnType<typeof createReturnAlerts>;

type Parts = {
  db: Db;
  clock: Clock;
  config: Pick<Config, 'ALERT_EMAIL'>;
  log: Log;
  metrics: Metrics;
  mail: Pick<Mail, 'send'>;
  returns: Pick<Returns, 'sums'>;
};
type Game = { id: number; slug: string };
type Window = { game: Game; until: Date; hours: number; sums: Sums };

/** Looks once a day, after midnight in UTC, whether the games return what they should, and tells staff when one does not. */
export function createReturnAlerts(parts: Parts) {
  const { db, clock, returns } = parts;

  const windowOf = async (game: Game, until: Date): Promise<Window> => {
    const since = (ms: number) => returns.sums(game.id, { from: new Date(until.getTime() - ms), until });
    const day = await since(DAY_MS);
    const length = windowMs(day.bets + day.apartBets);
    const sums = await since(length);
    return { game, until, hours: length / 3_600_000, sums };
  };

  return {
    async check(): Promise<void> {
      const until = lastMidnight(new Date(clock.now()));
      for (const game of await unjudged(db, until)) {
        const window = await windowOf(game, until);
        const facts = await transaction(db, (tx) => record(tx, parts, window));
        if (facts) parts.log.warn(facts, 'a game returns something else than it should');
      }
      await show(parts);
    },
  };
}

const KIND = 'RETURN';

const unjudged = (db: Db, until: Date): Promise<Game[]> =>
  db
    .selectFrom('games')
    .leftJoin('return_alerts', (on) =>
      on.onRef('return_alerts.game_id', '=', 'games.id').on('kind', '=', KIND),
    )
    .select(['games.id', 'games.slug'])
    .where('games.type', '=', 'HOUSE_GAME')
    .where((eb) => eb.or([eb('judged_until', 'is', null), eb('judged_until', '<', until)]))
    .orderBy('games.id')
    .execute();

/** Judges the window once; answers what is to be told when it raises an alert. */
async function record(tx: Tx, { config, mail }: Parts, window: Window): Promise<object | undefined> {
  const { game, until, sums } = window;
  const first = { game_id: game.id, kind: KIND, judged_until: new Date(0) };
  await tx
    .insertInto('return_alerts')
    .values(first)
    .onConflict((oc) => oc.doNothing())
    .execute();
  const row = await tx
    .selectFrom('return_alerts')
    .select(['misses', 'judged_until', 'raised_at'])
    .where('game_id', '=', game.id)
    .where('kind', '=', KIND)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (row.judged_until >= until) return undefined;
  const verdict = judge(game.slug, sums);
  const { misses, isRaised, isNew } = watch(
    { misses: row.misses, isRaised: row.raised_at !== null },
    verdict,
  );
  const facts = factsOf(window, verdict);
  const raised = isNew ? sql<Date>`now()` : row.raised_at;
  await tx
    .updateTable('return_alerts')
    .set({ misses, judged_until: until, raised_at: isRaised ? raised : null, facts: JSON.stringify(facts) })
    .where('game_id', '=', game.id)
    .where('kind', '=', KIND)
    .execute();
  if (!isNew) return undefined;
  if (config.ALERT_EMAIL) {
    const { game: slug, bets, actual, band, until: at } = facts;
    const data = { game: slug, bets: String(bets), actual, band, at };
    await mail.send(tx, { to: config.ALERT_EMAIL, template: 'return-alert', data });
  }
  return facts;
}

function factsOf({ game, until, hours, sums }: Window, verdict: string) {
  const band = bandOf(sums, NORMAL);
  const percent = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(4)} %`);
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

/** Which alerts stand, as a metric. */
async function show({ db, metrics }: Parts): Promise<void> {
  const rows = await db
    .selectFrom('return_alerts')
    .innerJoin('games', 'games.id', 'game_id')
    .select(['slug', 'kind', 'raised_at'])
    .execute();
  for (const { slug, kind, raised_at } of rows)
    metrics.returnAlerts.set({ game: slug, kind }, raised_at === null ? 0 : 1);
}
