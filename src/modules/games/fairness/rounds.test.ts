/** Seed rotation while the player is active: with open rounds, and with bets that are placed concurrently. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { DICE, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));

const seeds = async ({ call }: Player) => (await call('GET', '/fairness/seeds')).body;

/** Inserts an open round of a game as it is stored at its start. */
async function openRound({ id }: Player, slug: string): Promise<{ close(): Promise<void> }> {
  await sql`insert into games (slug, name, type) values (${slug}, ${slug}, 'HOUSE_GAME') on conflict do nothing`.execute(
    app.db,
  );
  const bet = 1_000_000 + Math.floor(Math.random() * 1e6);
  await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id)
    select ${bet}, 1, 0, 1, 0, 1, ${id}, g.id, 'CREATED', 'USDT' from games g where slug = ${slug}`.execute(
    app.db,
  );
  // The table `rounds` contains no row for a shared round.
  if (slug !== 'speed-roulette')
    await sql`insert into rounds (user_id, game_id, bet_id, bet_usd, stake, state)
      select ${id}, g.id, ${bet}, 1, 1, '{}' from games g where slug = ${slug}`.execute(app.db);
  return {
    // The ledger contains no stake of this round, so the round can be deleted.
    async close() {
      await app.db.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await sql`delete from rounds where bet_id = ${bet}`.execute(tx);
        await sql`delete from bets where id = ${bet}`.execute(tx);
      });
    },
  };
}

test('rejects a rotation while a mines, monkey-run or blackjack round is open', async () => {
  const player = await app.newPlayer();
  const before = await seeds(player);
  const rotate = () => player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'mine' } });
  const slugs = ['blackjack', 'mines', 'monkey-run'];
  const rounds = [];
  for (const slug of slugs) rounds.push(await openRound(player, slug));
  // Rounds of games without hidden state, and of other players, do not block a rotation.
  const harmless = [
    await openRound(player, 'speed-roulette'),
    await openRound(await app.newPlayer(), 'mines'),
  ];
  while (rounds.length > 0) {
    expect(await seeds(player)).toEqual({ ...before, openRounds: slugs });
    const refused = await rotate();
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'FAIRNESS_ROUND_OPEN',
      { openRounds: slugs },
    ]);
    await rounds.shift()!.close();
    slugs.shift();
  }
  const rotated = await rotate();
  expect(rotated.status).toBe(201);
  expect(rotated.body.active).toMatchObject({ serverSeedHash: before.nextServerSeedHash, openRounds: [] });
  for (const round of harmless) await round.close();
});

test('uses every nonce without a gap for 3,000 bets in two processes while seeds are rotated', async () => {
  const player = await app.newPlayer({ usdt: 10_000 });
  const revealed: { serverSeedHash: string; lastNonce: number }[] = [];
  let left = 3000;
  /** Each bet stores in `windowId` how many revealed seeds its sender had seen. */
  const bettor = async (process: TestApp) => {
    while (left-- > 0) {
      const body = { ...DICE, betAmount: '0.01', windowId: String(revealed.length) };
      const bet = await process.call('POST', '/casino/games/house/dice/bet', { token: player.token, body });
      expect([bet.status, bet.body.code]).toEqual([201, undefined]);
    }
  };
  const rotator = async (process: TestApp) => {
    while (left > 0) {
      const { status, body } = await process.call('POST', '/fairness/seeds/rotate', {
        token: player.token,
        body: {},
      });
      expect(status).toBe(201);
      revealed.push(body.revealed);
    }
  };
  await Promise.all([...Array.from({ length: 64 }, (_, i) => bettor(i % 2 ? app : second)), rotator(app)]);
  expect(revealed.length).toBeGreaterThan(10);

  const pairs = await app.db
    .selectFrom('seed_pairs')
    .select(['id', 'server_seed_hash', 'last_nonce', 'rotated_at'])
    .where('user_id', '=', player.id)
    .where('state', '<>', 'NEXT')
    .orderBy('id')
    .execute();
  expect(revealed).toMatchObject(
    pairs.slice(0, -1).map((p) => ({ serverSeedHash: p.server_seed_hash, lastNonce: p.last_nonce })),
  );
  const bets = await app.db
    .selectFrom('bets')
    .selectAll()
    .where('user_id', '=', player.id)
    .orderBy('id')
    .execute();
  expect(bets).toHaveLength(3000);
  for (const [order, pair] of pairs.entries()) {
    const own = bets.filter((b) => b.seed_pair_id === pair.id);
    expect(own.map((b) => b.nonce)).toEqual(own.map((_, nonce) => nonce));
    expect(own).toHaveLength((pair.last_nonce ?? own.length - 1) + 1);
    // A bet must not use a seed pair that its player had seen revealed before sending the bet.
    expect(own.filter((b) => Number(b.window_id) > order)).toEqual([]);
    expect(own.filter((b) => pair.rotated_at !== null && b.created_at > pair.rotated_at)).toEqual([]);
  }
  await app.assertInvariants();
});
