/** npm run bench speed-roulette: measures the database time that the settlement of a round takes. Players bet through the engine. */
import { randomBytes } from 'node:crypto';
import { reconcile } from '../../src/app/commands/reconcile.ts';
import type { Services } from '../../src/app/services.ts';
import { createChains } from '../../src/modules/games/house-games/speed-roulette/commit.ts';
import { speedRoulette as game } from '../../src/modules/games/house-games/speed-roulette/module.ts';
import { COLORS } from '../../src/modules/games/house-games/speed-roulette/rules.ts';
import { piecesOf } from '../load/protocol.ts';
import { createPlayers } from '../players.ts';
import { check, medianOf } from '../report.ts';
import { defineSuite } from '../suite.ts';
import { openServices, query, resetStatements } from '../world.ts';

const MOST_MS = 1000;
const AT_ONCE = 1000;

export const speedRoulette = defineSuite({
  about: 'the settlement of a round',
  options: {
    bets: [5000, 'bets of a round'],
    players: [2000, 'who make them'],
    rounds: [5, 'rounds'],
  },
  timesStatements: true,
  async run({ world, later }, { bets, players, rounds }) {
    const { db, env } = world;
    const services = await openServices(env, later);
    const accounts = await createPlayers(world, { group: 'speed', count: players });
    const userIds = accounts.map(({ userId }) => userId);
    await openChain(services);
    await query(db)`update games set settings = jsonb_set(settings, '{timeConfig,bettingMs}', '120000')
      where slug = 'speed-roulette'`;
    await services.games.reload();
    const results: Awaited<ReturnType<typeof playRound>>[] = [];
    for (let i = 0; i < rounds; i++) results.push(await playRound(services, userIds, bets));
    const { findings } = await reconcile(db, { seedSecret: env.SEED_SECRET });
    const title = `${bets} bets of ${players} players a round`;
    const columns = ['round', 'database ms', 'statements', 'from draw to last payout ms'];
    const rows = results.map(({ ms, statements, wall }, i) => [String(i + 1), ms, statements, wall]);
    const typicalMs = medianOf(results, ({ ms }) => ms);
    return {
      tables: [{ title, columns, rows }],
      checks: [
        check('median database time of a round, ms', typicalMs, { atMost: MOST_MS }),
        check('differences found by reconcile', findings.length, { atMost: 0 }),
      ],
      details: { findings },
    };
  },
});

/** Opens a seed chain whose public seed is known in advance. This is acceptable only because no real money is involved. */
async function openChain({ db, config, log }: Services): Promise<void> {
  const hash = randomBytes(32).toString('hex');
  const publicChain = {
    futureHeight: async () => 1,
    hashAt: async () => undefined,
    settledHashAt: async () => hash,
  };
  const parts = { db, secret: config.SEED_SECRET, length: 2000, log: log.named('bets') };
  const chains = createChains({ ...parts, publicChain });
  await chains.keep();
  await chains.keep();
}

const placeBet = game.operations.find(({ path }) => path.endsWith('/speed-roulette/bet'))!;

async function place(services: Services, userIds: readonly number[], bets: number): Promise<void> {
  const bet = (n: number) =>
    placeBet.handler(services, {
      caller: { userId: userIds[n % userIds.length]!, ip: '127.0.0.1', idempotencyKey: undefined },
      body: { currencyId: 'USDT', betAmount: '1', color: COLORS[n % 3]! },
    });
  for (const piece of piecesOf([...Array(bets).keys()], AT_ONCE)) await Promise.all(piece.map(bet));
}

/**
 * Plays one round from its opening to the last payout. Returns the duration of the settlement and how much of it was spent in the database.
 */
async function playRound(services: Services, userIds: readonly number[], bets: number) {
  const { db, speedRoulette } = services;
  const phase = async () => {
    const [round] = await query(db)<{ phase: string }>`
      select phase from speed_rounds order by id desc limit 1`;
    return round?.phase;
  };
  const turn = async () => {
    await query(db)`
      update speed_rounds set ends_at = clock_timestamp() where phase in ('BETTING', 'WAITING', 'RESULT')`;
    await speedRoulette.turn();
  };
  while ((await phase()) !== 'BETTING') await turn();
  await place(services, userIds, bets);
  await turn();
  await resetStatements(db);
  const [begun] = await query(db)<{ at: Date }>`select clock_timestamp() as at`;
  while ((await phase()) !== 'RESULT') await turn();
  const [figures] = await query(db)<{ ms: number; statements: number; wall: number }>`
    select (select sum(total_exec_time + total_plan_time) from pg_stat_statements) as ms,
      (select sum(calls)::int from pg_stat_statements) as statements,
      extract(epoch from settled_at - greatest(drawn_at, ${begun!.at}))::float8 * 1000 as wall
    from speed_rounds order by id desc limit 1`;
  return figures!;
}
