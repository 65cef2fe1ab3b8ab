import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Player, TestApp } from '../app.ts';
import { meanwhile } from '../meanwhile.ts';
import { until } from '../until.ts';
import { betOn, changeGame, endPhase, newestRound, turnUntil } from './speed-roulette.ts';

const SPREAD_MS = 20;
const EARLY_MS = 1000;
/** Maximum difference between the database clock, read over a connection, and the clock of this process. */
const CLOCKS_MS = 5;

/**
 * Places bets around the cut-offs of rounds while a runner advances the rounds. Nine of ten bets are placed within 20 ms of a cut-off.
 * Checks the outcome in the database: accepted bets are stamped before the cut-off and settled after the draw. Rejected bets leave no rows.
 */
export async function betLate(app: TestApp, players: readonly Player[], rounds: number, bets: number) {
  await changeGame(app, { timeConfig: { bettingMs: 3000, waitingMs: 0, resultMs: 60_000 } });
  await turnUntil(app, 'RESULT');
  const seen = { accepted: 0, refused: 0 };
  const betOnRound = async () => {
    const before = (await newestRound(app))!.id;
    await endPhase(app);
    await until(async () => (await newestRound(app))!.id > before);
    const { rows } = await sql<{ ms: number; id: bigint }>`
      select id, extract(epoch from ends_at - clock_timestamp())::float8 * 1000 as ms from speed_rounds
      order by id desc limit 1`.execute(app.db);
    const [{ ms, id }] = rows as [{ ms: number; id: bigint }];
    const cutOff = performance.now() + ms;
    const answers = await Promise.all(
      Array.from({ length: bets }, async (_, at) => {
        // Every tenth bet is sent early, because on a slow machine all others may arrive too late.
        const isEarly = at % 10 === 0;
        const aim = cutOff - (isEarly ? EARLY_MS : SPREAD_MS - (2 * SPREAD_MS * at) / bets);
        await sleep(Math.max(0, aim - performance.now()));
        const sentAt = performance.now();
        const { status, body } = await betOn(players[at % players.length]!, 'RED', { betAmount: '0.01' });
        return { status, code: body.code, sentAt };
      }),
    );
    for (const { status, code, sentAt } of answers) {
      // Database and test share one clock, so a bet sent after the cut-off cannot be in time.
      if (status === 201) expect(sentAt).toBeLessThan(cutOff + CLOCKS_MS);
      else expect([status, code]).toEqual([409, 'BETTING_CLOSED']);
    }
    const accepted = answers.filter(({ status }) => status === 201).length;
    seen.accepted += accepted;
    seen.refused += bets - accepted;
    await until(async () => (await newestRound(app))!.settled_at !== null);
    expect((await newestRound(app))!.id).toBe(id);
    expect(await bookOf(app, id)).toEqual({ bets: accepted, late: 0, afterDraw: 0, unsettled: 0 });
  };
  const betAll = async () => {
    for (let i = 0; i < rounds; i++) await betOnRound();
  };
  await meanwhile(betAll, [() => app.services.speedRoulette.turn()]);
  return seen;
}

/** `late`: bets stamped at or after the cut-off. `afterDraw`: bets written after the draw. */
async function bookOf({ db }: TestApp, roundId: bigint) {
  const { rows } = await sql<Record<'bets' | 'late' | 'afterDraw' | 'unsettled', number>>`
    select count(b.id)::int as bets,
      (count(*) filter (where b.created_at >= r.started_at + r.betting_ms * interval '1 millisecond'))::int as late,
      (count(*) filter (where b.created_at >= r.drawn_at))::int as "afterDraw",
      (count(*) filter (where b.status <> 'SETTLED' or b.settled_at < r.drawn_at))::int as unsettled
    from speed_rounds r left join bets b on b.round_id = r.id where r.id = ${roundId} group by r.id`.execute(
    db,
  );
  const { unsettled, ...counts } = rows[0]!;
  return { ...counts, unsettled: counts.bets === 0 ? 0 : unsettled };
}
