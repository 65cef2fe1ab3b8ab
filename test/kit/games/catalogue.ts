/** Writes providers and games directly to the database, in the state that an import and staff would create. */
import { type Insertable, sql } from 'kysely';
import type { GameProviders, Games } from '../../../src/platform/database/tables.ts';
import type { TestApp } from '../app.ts';

let count = 0;

/** Creates a provider whose games are visible. When this returns, the process has loaded the provider. */
export async function newProvider(app: TestApp, values: Partial<Insertable<GameProviders>> = {}) {
  const slug = values.slug ?? `provider-${++count}`;
  const name = values.name ?? `Provider ${slug}`;
  const made = await app.db
    .insertInto('game_providers')
    .values({ origin_name: name, ...values, slug, name })
    .returningAll()
    .executeTakeFirstOrThrow();
  await app.services.catalogue.state.reload();
  return made;
}

type Values = Partial<Insertable<Games>> & { provider_id: number };

/** Creates games of a provider. When this returns, the process has loaded the games. */
export async function newGames(app: TestApp, games: readonly Values[]) {
  const rows = games.map((values) => {
    const slug = values.slug ?? `game-${++count}`;
    return { name: slug, type: 'SLOTS', categories: ['SLOTS'], external_code: slug, ...values, slug };
  });
  const made = await app.db.insertInto('games').values(rows).returning(['id', 'slug']).execute();
  await app.services.catalogue.state.reload();
  return made;
}

export const newGame = async (app: TestApp, values: Values) => (await newGames(app, [values]))[0]!;

/** Changes a game directly in the database, as another process would. */
export async function changeGame(app: TestApp, id: number, to: Partial<Insertable<Games>>) {
  await app.db.updateTable('games').set(to).where('id', '=', id).execute();
  await app.services.catalogue.state.reload();
}

/** Creates thousands of games for one provider. */
export const manyGames = (app: TestApp, providerId: number, n: number) =>
  sql`
    insert into games (slug, name, type, provider_id, external_code, categories, added_at)
    select 'many-' || i, 'Many ' || md5(i::text), 'SLOTS', ${providerId}, 'many-' || i,
      case when i % 3 = 0 then '{SLOTS,CRASH}'::text[] else '{SLOTS}' end, now() - i * interval '1 minute'
    from generate_series(1, ${n}::int) i`.execute(app.db);
