import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { dialects } from '../conformance/dialects.ts';
import type { Db } from '../src/platform/database/db.ts';
import { createPlayers, type Secrets } from './players.ts';
import {
  GAMES_DIALECTS,
  type GamesDialect,
  gameCodeOf,
  slugOf,
  type WalletPlayer,
} from './wallet-protocol.ts';

const DECIMALS: Readonly<Record<GamesDialect, number>> = { generic: 8, hub88: 5, softswiss: 2, pragmatic: 2 };
const VECTORS = new URL('../test/kit/games/providers-vectors.json', import.meta.url);
type Vectors = { hub88: { publicKey: string; privateKey: string } };

/** Returns the value of the setting that configures one provider for each dialect. */
export function providerSettings(): string {
  const { hub88 } = JSON.parse(readFileSync(VECTORS, 'utf8')) as Vectors;
  return JSON.stringify(
    GAMES_DIALECTS.map((dialect) => ({
      slug: slugOf(dialect),
      name: slugOf(dialect),
      dialect,
      apiUrl: 'http://127.0.0.1:9',
      operatorId: 'bench',
      launchOrigins: ['http://127.0.0.1:9'],
      currencies: [{ ours: 'USDT', code: 'USDT', decimals: DECIMALS[dialect] }],
      ...(dialect === 'hub88'
        ? { publicKeys: [hub88.publicKey], privateKey: hub88.privateKey }
        : { secrets: [dialects[dialect].secret] }),
    })),
  );
}

/** Inserts players with money and a live session at every provider, the providers' games, and a catalogue of `games` other games. */
export async function fillWalletWorld(
  db: Db,
  secrets: Secrets,
  { players, games }: { players: number; games: number },
): Promise<WalletPlayer[]> {
  const accounts = await createPlayers(db, secrets, { group: 'wallet', count: players });
  for (const dialect of GAMES_DIALECTS) await addProvider(db, dialect);
  await sql`
    insert into games (slug, name, type, provider_id, external_code, categories, added_at)
    select 'many-' || i, 'Many ' || md5(i::text), 'SLOTS', p.id, 'many-' || i,
      case when i % 3 = 0 then '{SLOTS,CRASH}'::text[] else '{SLOTS}' end, now() - i * interval '1 minute'
    from generate_series(1, ${games}::int) i, game_providers p where p.slug = ${slugOf('generic')}`.execute(
    db,
  );
  // Analyses only tables with rows. Query plans for tables that were analysed while empty would be bad after the tables have grown.
  await sql`vacuum (analyze) users, players, wallets, games, sessions, provider_sessions`.execute(db);
  return accounts.map(({ userId, token }) => ({
    userId,
    token,
    sessions: Object.fromEntries(
      GAMES_DIALECTS.map((dialect) => [dialect, sessionOf(dialect, userId)]),
    ) as Record<GamesDialect, string>,
  }));
}

const sessionOf = (dialect: GamesDialect, userId: number): string =>
  createHash('sha256').update(`bench ${dialect} ${userId}`).digest('base64url');

async function addProvider(db: Db, dialect: GamesDialect): Promise<void> {
  const slug = slugOf(dialect);
  const { id: providerId } = await db
    .insertInto('game_providers')
    .values({ slug, name: slug, origin_name: slug })
    .returning('id')
    .executeTakeFirstOrThrow();
  const code = gameCodeOf(dialect);
  const { id: gameId } = await db
    .insertInto('games')
    .values({
      slug: code,
      name: code,
      type: 'SLOTS',
      categories: ['SLOTS'],
      provider_id: providerId,
      external_code: code,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const users = await db.selectFrom('players').select('user_id').execute();
  const rows = users.map(({ user_id }) => ({
    token_hash: createHash('sha256').update(sessionOf(dialect, user_id)).digest(),
    user_id,
    provider_id: providerId,
    game_id: gameId,
    currency_id: 'USDT',
    device: 'DESKTOP',
    expires_at: sql<Date>`now() + interval '1 day'`,
  }));
  for (let from = 0; from < rows.length; from += 1000)
    await db
      .insertInto('provider_sessions')
      .values(rows.slice(from, from + 1000))
      .execute();
}
