/** Simulated game suppliers that launch any game, and the platform's settings for them. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dialect } from '../../../conformance/dialect.ts';
import { dialects } from '../../../conformance/dialects.ts';
import { createPlatformOperator } from '../../../conformance/platform.ts';
import type { Line } from '../../../conformance/table.ts';
import type { TestApp } from '../app.ts';

type Vector = { body: string; signature: string };
/** Keys and signatures from the specification. */
export const vectors = JSON.parse(
  readFileSync(new URL('providers-vectors.json', import.meta.url), 'utf8'),
) as {
  generic: { secret: string; vectors: { body: string; value: string }[] };
  hub88: { publicKey: string; privateKey: string; vectors: Vector[] };
  softswiss: { authToken: string; vectors: Vector[] };
  pragmatic: { secret: string; vectors: { params: Record<string, string>; hash: string }[] };
  sportsbookToken: { publicKey: string; privateKey: string };
};

/** All dialects in which game suppliers call the wallet. */
export const SUPPLIERS: readonly Dialect[] = Object.values(dialects).filter(({ letter }) => letter !== 'B');
const SECOND_SECRET = 'a-second-secret-in-force';
const PLACES: Readonly<Record<string, number>> = { generic: 8, hub88: 5, softswiss: 2, pragmatic: 2 };
const CODES = ['one', 'two'];

/** Starts one supplier per dialect, each with two valid secrets. `env` configures the platform for them. */
export async function startSuppliers() {
  const server = createServer((request, response) => {
    request.resume();
    const url = `http://${request.headers.host}/play`;
    const opened = { url, gameURL: url, launch_options: { game_url: url }, error: '0', description: 'OK' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(opened));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { GAME_PROVIDERS: JSON.stringify(SUPPLIERS.map((dialect) => settingsOf(dialect, origin))) },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function settingsOf({ name, slug, secret }: Dialect, origin: string): object {
  const { hub88, sportsbookToken } = vectors;
  const keys =
    name === 'hub88'
      ? { publicKeys: [hub88.publicKey, sportsbookToken.publicKey], privateKey: hub88.privateKey }
      : { secrets: [secret, SECOND_SECRET] };
  return {
    slug,
    name: slug,
    dialect: name,
    apiUrl: `${origin}/${name}`,
    operatorId: '1',
    launchOrigins: [origin],
    currencies: ['USDT', 'BTC'].map((code) => ({ ours: code, code, decimals: PLACES[name] })),
    ...keys,
  };
}

const gamesOf = ({ slug }: Dialect) =>
  CODES.map((code) => ({ slug: `${slug}-${code}`, code: `${slug}:${code}` }));

/** Adds two games of each supplier to the catalogue. */
export async function addSupplierGames(app: TestApp): Promise<void> {
  for (const dialect of SUPPLIERS) {
    const { id } = await app.db
      .selectFrom('game_providers')
      .select('id')
      .where('slug', '=', dialect.slug)
      .executeTakeFirstOrThrow();
    const rows = gamesOf(dialect).map(({ slug, code }) => ({
      slug,
      name: slug,
      type: 'SLOTS',
      categories: ['SLOTS'],
      provider_id: id,
      external_code: code,
    }));
    await app.db.insertInto('games').values(rows).execute();
  }
  await app.services.catalogue.state.reload();
}

/** Returns the settings and functions with which a supplier connects to `app`. `operatedBy` creates and manages the players. */
export const lineTo = (app: TestApp, dialect: Dialect, operatedBy = app): Line => ({
  dialect,
  url: app.url,
  slug: dialect.slug,
  secret: dialect.secret,
  another: dialect.name === 'hub88' ? vectors.sportsbookToken.privateKey : SECOND_SECRET,
  operator: createPlatformOperator({
    url: operatedBy.url,
    debugToken: operatedBy.config.DEBUG_TOKEN!,
    provider: dialect.letter === 'B' ? undefined : dialect.slug,
    games: gamesOf(dialect),
  }),
});
