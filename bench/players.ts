import { createTokens } from '../src/modules/accounts/auth/sessions/tokens.ts';
import { createSeedEncryption } from '../src/modules/games/fairness/service.ts';
import { post } from '../src/modules/money/ledger/post.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { type Tx, transaction } from '../src/platform/database/db.ts';
import { units } from '../src/platform/money.ts';
import { fillHistory } from './fill.ts';
import { type Account, BET, piecesOf } from './load/protocol.ts';
import { query, type World } from './world.ts';

const AT_ONCE = 500;
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
  const allNames = Array.from({ length: count }, (_, i) => `${group}_${i}`);
  for (const names of piecesOf(allNames, AT_ONCE)) {
    const made = await transaction(db, async (tx) => {
      const sessions = await insertPlayers(tx, names, vault);
      await giveMoney(
        tx,
        sessions.map(({ userId }) => userId),
        currencies,
      );
      return sessions;
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

type Session = { userId: number; sessionId: string; endsAt: Date };

/** Inserts players with two seed pairs and a session each. */
function insertPlayers(tx: Tx, names: readonly string[], vault: ReturnType<typeof createSeedEncryption>) {
  const [active, next] = [names.map(() => vault.draw()), names.map(() => vault.draw())];
  const seeds = [...active, ...next];
  return query(tx)<Session>`
    with made as (
      insert into users (username, email, is_test)
      select name, name || '@bench.example', true from unnest(${names}::text[]) name returning id),
    pairs as (
      insert into seed_pairs (user_id, state, server_seed, server_seed_hash, client_seed, activated_at)
      select id, case when n <= ${names.length} then 'ACTIVE' else 'NEXT' end, sealed, hash,
        case when n <= ${names.length} then substr(md5(random()::text), 1, 16) end, case when n <= ${names.length} then now() end
      from unnest(${seeds.map(({ sealed }) => sealed)}::bytea[], ${seeds.map(({ hash }) => hash)}::text[])
        with ordinality seed(sealed, hash, n)
      join (select id, row_number() over (order by id) as place from made) users on place = 1 + (n - 1) % ${names.length}
      returning id, user_id, state),
    locks as (insert into players (seed_pair_id, user_id) select id, user_id from pairs where state = 'ACTIVE')
    insert into sessions (id, user_id, refresh_hash, expires_at)
    select gen_random_uuid(), id, sha256(gen_random_uuid()::text::bytea), now() + interval '1 day' from made
    returning user_id as "userId", id as "sessionId", expires_at as "endsAt"`;
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
