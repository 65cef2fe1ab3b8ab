import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import type { Person } from '../kit/processes/visitors.ts';
import { type CallOptions, call } from './client.ts';
import { createPlayers } from './load.ts';
import type { World } from './operations.ts';
import { becomes, type Scene, WHENS } from './scenes.ts';

const REWARD = '50';
const TERMS = {
  gameSlug: 'dice',
  minBetAmountUsd: '1',
  minBetMultiplier: 1,
  rewardCurrency: 'USDT',
  rewardAmount: REWARD,
  isHidden: false,
};
type Healthy = Omit<World, 'victimUrl'>;

async function ask(
  { healthyUrl }: Healthy,
  method: string,
  path: string,
  options: CallOptions,
): Promise<any> {
  const { status, body } = await call(method, healthyUrl + path, options);
  if (status >= 300) throw new Error(`${method} ${path} answers ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Creates a player who is not a test user and can therefore win. */
export async function newWinner({ healthyUrl, onDb }: Healthy): Promise<Person> {
  const [player] = (await createPlayers(healthyUrl, [1000])) as [Person];
  await onDb((db) => sql`update users set is_test = false where id = ${player.id}`.execute(db));
  return player;
}

export const newChallenge = async (world: Healthy): Promise<string> =>
  (await ask(world, 'PUT', '/admin/challenge', { token: world.boss.token, body: TERMS })).id;

export async function winningBet(world: Healthy, { token }: Person): Promise<string> {
  const body = { currencyId: 'USDT', betAmount: '1', threshold: 10, above: true };
  for (;;) {
    const bet = await ask(world, 'POST', '/casino/games/house/dice/bet', { token, body });
    if (bet.didWin) return bet.betId;
  }
}

/** Creates a challenge whose reward has been paid. */
export async function awarded(world: Healthy) {
  const winner = await newWinner(world);
  const challengeId = await newChallenge(world);
  const betId = await winningBet(world, winner);
  const { token } = world.boss;
  const body = { betId, sendNotification: false };
  await ask(world, 'POST', `/admin/challenge/${challengeId}/award`, { token, body });
  return { challengeId, winner, betId };
}

const remove = (world: Healthy, challengeId: string) =>
  ask(world, 'DELETE', `/admin/challenge/${challengeId}`, { token: world.boss.token });

type State = {
  status: string;
  betId: bigint | null;
  awards: number;
  standing: number;
  rewards: number;
  rollbacks: number;
};

async function stateOf(db: Db, challengeId: string): Promise<State> {
  const { rows } = await sql<State>`
    select status, winner_bet_id as "betId", count(a.n)::int as awards, count(a.n) filter (where a.rolled_back_at is null)::int as standing,
      (select count(*)::int from ledger_entries where key ~ ${`^challenge:${challengeId}:[0-9]+$`}) as rewards,
      (select count(*)::int from ledger_entries where key ~ ${`^challenge:${challengeId}:[0-9]+:rollback$`}) as rollbacks
    from challenges c left join challenge_awards a on a.challenge_id = c.id where c.id = ${challengeId} group by c.id`.execute(
    db,
  );
  return rows[0]!;
}

/** Scene in which a bet wins a challenge. The consumer stores the bet as a candidate, and a job selects it. */
const decision: Scene = {
  name: 'challenge',
  cursor: 'challenges',
  points: [
    ...WHENS.map((when) => ({ name: `candidates, ${when}`, text: 'insert into challenge_candidates', when })),
    ...WHENS.map((when) => ({ name: `winner, ${when}`, text: 'update "challenges" set "status"', when })),
  ],
  async prepare(world) {
    const winner = await newWinner(world);
    const challengeId = await newChallenge(world);
    const betId = BigInt(await winningBet(world, winner));
    return async () => {
      const problems = await world.onDb((db) =>
        becomes(() => stateOf(db, challengeId), {
          status: 'WINNER_SELECTED',
          betId,
          awards: 0,
          standing: 0,
          rewards: 0,
          rollbacks: 0,
        }),
      );
      await remove(world, challengeId);
      return problems;
    };
  },
};

/** Scene in which a bet is rolled back after its reward was paid. A job reverses the reward and alerts staff, each exactly once. */
const reversal: Scene = {
  name: 'challenge of a bet that is rolled back',
  cursor: 'challenges',
  points: WHENS.map((when) => ({ name: `reward, ${when}`, text: 'update "challenge_awards"', when })),
  async prepare(world) {
    const { challengeId, betId } = await awarded(world);
    const { token } = world.boss;
    await ask(world, 'POST', `/admin/bets/${betId}/rollback`, { token, body: { reason: 'a test' } });
    return async () => {
      const problems = await world.onDb((db) =>
        becomes(
          async () => ({ ...(await stateOf(db, challengeId)), alerts: await alertsOf(db, challengeId) }),
          {
            status: 'ACTIVE',
            betId: null,
            awards: 1,
            standing: 0,
            rewards: 1,
            rollbacks: 1,
            alerts: 1,
          },
        ),
      );
      await remove(world, challengeId);
      return problems;
    };
  },
};

async function alertsOf(db: Db, challengeId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from events where name = 'admin.alert' and data ->> 'id' = ${challengeId}`.execute(
    db,
  );
  return rows[0]!.n;
}

export const challengeScenes: readonly Scene[] = [decision, reversal];
