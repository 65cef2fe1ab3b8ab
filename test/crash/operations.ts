import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import type { Person } from '../kit/processes/visitors.ts';
import { awarded, newChallenge, newWinner, winningBet } from './challenge.ts';
import { call } from './client.ts';
import { frozenLeaderboard } from './leaderboard.ts';
import { createPlayers } from './load.ts';

/** URLs of the process to kill and of another process, a superadmin, and direct access to the database. */
export type World = {
  victimUrl: string;
  healthyUrl: string;
  boss: Person;
  onDb: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
};
/** A request that moves money once, and a function that counts its effects. */
export type Prepared = { path: string; body: object; token: string; effects: (db: Db) => Promise<number> };
type Prepare = (world: World) => Promise<Prepared>;

/** Returns a function that counts a player's ledger postings of one kind. The tested operation makes one posting each time. */
const linesOf = (userId: number, kind: string) => async (db: Db) => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from ledger_lines where user_id = ${userId} and kind = ${kind}`.execute(db);
  return rows[0]!.n;
};

const byPlayer =
  (path: string, { kind, ...body }: { kind: string } & Record<string, unknown>): Prepare =>
  async ({ victimUrl }) => {
    const [{ id, token }] = (await createPlayers(victimUrl, [1000])) as [Person];
    return { path, body, token, effects: linesOf(id, kind) };
  };

const tip: Prepare = async ({ victimUrl, healthyUrl, onDb }) => {
  const [sender, recipient] = (await createPlayers(victimUrl, [1000, 1])) as [Person, Person];
  const { rows } = await onDb((db) =>
    sql<{ username: string }>`select username from users where id = ${recipient.id}`.execute(db),
  );
  await call('POST', `${healthyUrl}/debug/user/action`, {
    body: { userId: sender.id, action: 'VERIFY_EMAIL' },
  });
  return {
    path: '/user-tips',
    body: { recipientUsername: rows[0]!.username, currencyId: 'USDT', amount: '7' },
    token: sender.token,
    effects: linesOf(recipient.id, 'tip.received'),
  };
};

const prize: Prepare = async ({ healthyUrl, boss, onDb }) => {
  const [winner] = (await createPlayers(healthyUrl, [1])) as [Person];
  const leaderboardId = String(await onDb((db) => frozenLeaderboard(db, winner.id)));
  return {
    path: '/admin/leaderboards/give-prize',
    body: { leaderboardId, userId: winner.id, currency: 'USDT' },
    token: boss.token,
    effects: linesOf(winner.id, 'leaderboard.prize'),
  };
};

const award: Prepare = async (world) => {
  const winner = await newWinner(world);
  const challengeId = await newChallenge(world);
  const betId = await winningBet(world, winner);
  return {
    path: `/admin/challenge/${challengeId}/award`,
    body: { betId, sendNotification: true },
    token: world.boss.token,
    effects: linesOf(winner.id, 'challenge.reward'),
  };
};

const rollback: Prepare = async (world) => {
  const { challengeId, winner } = await awarded(world);
  return {
    path: `/admin/challenge/${challengeId}/rollback`,
    body: { reason: 'a test', withdrawLessIfNotEnoughBalance: false, sendNotification: true },
    token: world.boss.token,
    effects: linesOf(winner.id, 'challenge.rollback'),
  };
};

export const OPERATIONS = {
  bet: byPlayer('/casino/games/house/dice/bet', {
    kind: 'bet.stake',
    currencyId: 'USDT',
    betAmount: '1',
    threshold: 50,
    above: true,
  }),
  withdraw: byPlayer('/payments/withdraw', {
    kind: 'withdraw.hold',
    currencyId: 'USDT',
    networkId: 'tron',
    amount: '10',
    recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  }),
  vault: byPlayer('/accounting/to-vault', { kind: 'vault.to', currencyId: 'USDT', amount: '1' }),
  tip,
  prize,
  award,
  rollback,
} as const satisfies Record<string, Prepare>;

/**
 * A point at which the process is killed: `before` a statement with this text reaches the database, or `after` the database has responded
 * to it. In both cases the process has not received the response.
 */
export type Point = {
  operation: keyof typeof OPERATIONS;
  name: string;
  text: string;
  when: 'before' | 'after';
};

const commitOf = (operation: Point['operation']): Point[] => [
  { operation, name: 'before the commit', text: 'commit', when: 'before' },
  { operation, name: 'committed, unheard', text: 'commit', when: 'after' },
];

export const POINTS: readonly Point[] = [
  { operation: 'bet', name: 'before the lock', text: 'players.lock', when: 'before' },
  { operation: 'bet', name: 'with the lock', text: 'players.lock', when: 'after' },
  { operation: 'bet', name: 'before the books', text: 'ledger.write-lines', when: 'before' },
  { operation: 'bet', name: 'committed, unheard', text: 'ledger.write-lines', when: 'after' },
  { operation: 'withdraw', name: 'with the lock', text: 'savepoint work', when: 'before' },
  { operation: 'withdraw', name: 'before the head of the entry', text: '"ledger_entries"', when: 'before' },
  { operation: 'withdraw', name: 'before the row', text: 'insert into "withdrawals"', when: 'before' },
  {
    operation: 'withdraw',
    name: 'before the answer is kept',
    text: 'insert into idempotency_keys',
    when: 'before',
  },
  ...commitOf('withdraw'),
  ...commitOf('vault'),
  { operation: 'tip', name: 'with the row, before the day', text: 'insert into tip_days', when: 'before' },
  ...commitOf('tip'),
  {
    operation: 'prize',
    name: 'paid, before the row',
    text: 'insert into "leaderboard_prizes"',
    when: 'before',
  },
  ...commitOf('prize'),
  {
    operation: 'award',
    name: 'paid, before the row',
    text: 'insert into "challenge_awards"',
    when: 'before',
  },
  ...commitOf('award'),
  { operation: 'rollback', name: 'taken, before the row', text: 'update "challenge_awards"', when: 'before' },
  ...commitOf('rollback'),
];
