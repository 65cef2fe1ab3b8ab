import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { dialects } from '../../conformance/dialects.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { GAMES_DIALECTS, type GamesDialect, gameCodeOf, slugOf } from '../load/protocol.ts';
import { sessionOf } from '../load/sources.ts';
import { createPlayers } from '../players.ts';
import { startGenerator, startServer } from '../processes.ts';
import type { Context } from '../suite.ts';
import { query } from '../world.ts';

export const PLAYERS = 1024;
const GAMES = 20_000;

/** Inserts players and a catalogue, and starts the server and the generator. The server also has the no-op operations. */
export async function prepareWallet({ world, say, later }: Context) {
  const { db, env } = world;
  say(`creating ${PLAYERS} players and ${GAMES} games`);
  const players = await createPlayers(db, env, { group: 'wallet', count: PLAYERS });
  const userIds = players.map(({ userId }) => userId);
  for (const dialect of GAMES_DIALECTS) await addProvider(db, dialect, userIds);
  await query(db)`
    insert into games (slug, name, type, provider_id, external_code, categories, added_at)
    select 'many-' || i, 'Many ' || md5(i::text), 'SLOTS', p.id, 'many-' || i,
      case when i % 3 = 0 then '{SLOTS,CRASH}'::text[] else '{SLOTS}' end, now() - i * interval '1 minute'
    from generate_series(1, ${GAMES}::int) i, game_providers p where p.slug = ${slugOf('generic')}`;
  // Analyses only tables with rows. Query plans for tables that were analysed while empty would be bad after the tables have grown.
  await query(db)`vacuum (analyze) users, players, wallets, games, sessions, provider_sessions`;
  const server = await startServer('noop', { later, env: { ...env, GAME_PROVIDERS: providerSettings() } });
  const generator = await startGenerator(later);
  await generator.call('players', 'wallet', players);
  return { bench: { world, generator, say }, server };
}

const DECIMALS = { generic: 8, hub88: 5, softswiss: 2, pragmatic: 2 } as const;
const VECTORS = new URL('../../test/kit/games/providers-vectors.json', import.meta.url);

/** Returns the value of the setting that configures one provider for each dialect. */
function providerSettings(): string {
  const { hub88 } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
    hub88: { publicKey: string; privateKey: string };
  };
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

/** Inserts a provider with one game, and a live session of every player on this game. */
async function addProvider(db: Db, dialect: GamesDialect, userIds: readonly number[]): Promise<void> {
  const [slug, code] = [slugOf(dialect), gameCodeOf(dialect)];
  const [game] = await query(db)<{ id: number; provider: number }>`
    with provider as (
      insert into game_providers (slug, name, origin_name) values (${slug}, ${slug}, ${slug}) returning id)
    insert into games (slug, name, type, categories, provider_id, external_code)
    select ${code}, ${code}, 'SLOTS', '{SLOTS}', id, ${code} from provider returning id, provider_id as provider`;
  const rows = userIds.map((userId) => ({
    token_hash: createHash('sha256').update(sessionOf(dialect, userId)).digest(),
    user_id: userId,
    provider_id: game!.provider,
    game_id: game!.id,
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
