import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createTokens } from '../src/modules/accounts/auth/sessions/tokens.ts';
import { createSeedEncryption } from '../src/modules/games/fairness/service.ts';
import { post } from '../src/modules/money/ledger/post.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { type Tx, transaction } from '../src/platform/database/db.ts';
import { units } from '../src/platform/money.ts';
import { fillHistory } from './fill.ts';
import { type Account, BET } from './load/protocol.ts';
import { query, type World } from './world.ts';

const AT_ONCE = 500;
const DAY_MS = 86_400_000;
export const MONEY = units('1000000');

type Group = { group: string; count: number; currencies?: readonly string[] };

/**
 * Creates players in bulk with everything that a sign-up creates: account, active and next seeds, lock row, and a session with its
 * tokens. Each player gets a million of each currency, posted in the ledger.
 */
export async function createPlayers(
  { db, env }: Pick<World, 'db' | 'env'>,
  { group, count, currencies = [BET.currencyId] }: Group,
): Promise<Account[]> {
  const config = loadConfig(env);
  const vault = createSeedEncryption(config.SEED_SECRET);
  const { sign } = createTokens(config, { now: Date.now });
  const accounts: Account[] = [];
  for (let first = 0; first < count; first += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => `${group}_${first + i}`);
    const made = await transaction(db, async (tx) => {
      const userIds = await insertUsers(tx, names);
      await insertSeeds(tx, userIds, vault);
      await giveMoney(tx, userIds, currencies);
      return insertSessions(tx, userIds);
    });
    for (const session of made) {
      const [access, socket] = [await sign('access', session), await sign('socket', session)];
      accounts.push({ userId: session.userId, token: access.token, socketToken: socket.token });
    }
  }
  return accounts;
}

/**
 * Creates players for the measurements of reads, with money in four currencies and 50 bets each within a year. They are not test users,
 * because the live feed hides test users.
 */
export async function createReaders(world: World, group: Group): Promise<Account[]> {
  const currencies = ['USDT', 'BTC', 'ETH', 'EUR'];
  const accounts = await createPlayers(world, { ...group, currencies });
  const owners = accounts.map(({ userId }) => userId);
  await query(world.db)`update users set is_test = false where id = any(${owners}::int4[])`;
  await fillHistory(world.db, { bets: 50 * group.count, owners, cash: MONEY });
  return accounts;
}

async function insertUsers(tx: Tx, names: readonly string[]): Promise<number[]> {
  const rows = names.map((name) => ({ username: name, email: `${name}@bench.example`, is_test: true }));
  const inserted = await tx.insertInto('users').values(rows).returning('id').execute();
  return inserted.map((row) => row.id);
}

async function insertSeeds(
  tx: Tx,
  userIds: readonly number[],
  vault: ReturnType<typeof createSeedEncryption>,
): Promise<void> {
  const insert = (state: string, more: () => object = () => ({})) => {
    const rows = userIds.map((user_id) => {
      const { sealed, hash } = vault.draw();
      return { user_id, state, server_seed: sealed, server_seed_hash: hash, ...more() };
    });
    return tx.insertInto('seed_pairs').values(rows).returning(['id as seed_pair_id', 'user_id']).execute();
  };
  const activation = () => ({ client_seed: randomBytes(8).toString('hex'), activated_at: new Date() });
  const active = await insert('ACTIVE', activation);
  await insert('NEXT');
  await tx.insertInto('players').values(active).execute();
}

async function giveMoney(tx: Tx, userIds: readonly number[], currencies: readonly string[]): Promise<void> {
  const kind = 'debug.credit';
  await post(
    tx,
    userIds.map((userId) => ({
      key: `bench:${userId}`,
      kind,
      postings: currencies.map((currencyId) => ({
        userId,
        currencyId,
        kind,
        debit: 'promo' as const,
        credit: 'cash' as const,
        amount: MONEY,
      })),
    })),
  );
}

async function insertSessions(tx: Tx, userIds: readonly number[]) {
  const endsAt = new Date(Date.now() + DAY_MS);
  const rows = userIds.map((userId) => ({
    id: randomUUID(),
    user_id: userId,
    refresh_hash: createHash('sha256').update(randomBytes(32)).digest(),
    expires_at: endsAt,
  }));
  await tx.insertInto('sessions').values(rows).execute();
  return rows.map((row) => ({ userId: row.user_id, sessionId: row.id, endsAt }));
}
