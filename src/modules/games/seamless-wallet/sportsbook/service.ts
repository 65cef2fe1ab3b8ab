import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Config } from '../../../../platform/config/config.ts';
import { type Db, type DbOrTx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { createEncryption, dataSecret, hashToken } from '../../../../platform/secrets/encryption.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { balancesOf } from '../../../money/ledger/balances.ts';
import type { BetGame } from '../engine/draft.ts';
import { userIdOf } from '../engine/rules.ts';
import { keyIdOf, type PlayerClaims, signClaims } from './rules.ts';
import { type SportsbookBalance, sportsbookErrors } from './schemas.ts';

type Deps = {
  db: Db;
  config: Config;
  bettable: { get(id: number): BetGame | undefined };
};

export type Sportsbook = ReturnType<typeof createSportsbook>;

/** The stateful parts of the sportsbook: its game and its signing keys. */
export const createSportsbook = (deps: Deps) => ({
  game: createGame(deps),
  keys: createSigningKeys(deps),
});

/** The single game to which all sportsbook bets belong. If staff change its settings, the change applies within a second. */
function createGame({ db, config, bettable }: Deps) {
  const providerSlug = config.SPORTSBOOK_SEGMENT;
  let known: { id: number; providerId: number } | undefined;
  return {
    async start(): Promise<void> {
      await name(db, providerSlug);
      known = await readGame(db);
    },
    get(): BetGame & { providerId: number; providerSlug: string } {
      const game = known && bettable.get(known.id);
      if (!known || !game) throw new Error('the sportsbook game is not loaded yet');
      return { ...game, providerId: known.providerId, providerSlug };
    },
  };
}

/** Sets the slug of the sportsbook's provider to the configured one. */
const name = (db: Db, slug: string) =>
  sql`update game_providers p set slug = ${slug} from games g where g.type = 'SPORTSBOOK' and p.id = g.provider_id and p.slug <> ${slug}`.execute(
    db,
  );

/** Reads ids once, because they never change. */
const readGame = (db: Db) =>
  db
    .selectFrom('games')
    .select(['id', 'provider_id as providerId'])
    .where('type', '=', 'SPORTSBOOK')
    .executeTakeFirstOrThrow();

const ALG = 'RS256';
const RENEWAL_DAYS = 90;
const makePair = promisify(generateKeyPair);

type Stored = { kid: string; private_key: Buffer; public_key: string };

/**
 * The keys that sign players' tokens for the sportsbook. The newest key signs, and its public key is published. After a change of keys,
 * older tokens remain valid for at most five minutes, provided that the verifier keeps the previous key by its `kid`. Private keys are
 * encrypted at rest.
 */
function createSigningKeys({ db, config }: { db: Db; config: Config }) {
  const encryption = createEncryption(dataSecret(config), 'sportsbook keys');
  let opened: { kid: string; key: KeyObject } | undefined;

  /** Creates a key unless another process has created one. */
  const make = async (olderThanDays?: number): Promise<void> => {
    const { publicKey, privateKey } = await makePair('rsa', { modulusLength: 2048 });
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const row = {
      kid: keyIdOf(spki),
      private_key: encryption.seal(privateKey.export({ type: 'pkcs8', format: 'der' })),
      public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
    await transaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('sportsbook keys', 0))`.execute(tx);
      if (await findNewest(tx, olderThanDays)) return;
      const retired_at = sql<Date>`now()`;
      await tx.updateTable('sportsbook_keys').set({ retired_at }).where('retired_at', 'is', null).execute();
      await tx
        .insertInto('sportsbook_keys')
        .values({ ...row, created_at: sql<Date>`clock_timestamp()` })
        .execute();
    });
  };
  const newest = async (): Promise<Stored> => {
    const known = await findNewest(db);
    if (known) return known;
    await make();
    return (await findNewest(db))!;
  };

  return {
    async sign(claims: PlayerClaims): Promise<string> {
      const { kid, private_key } = await newest();
      if (opened?.kid !== kid) {
        const key = encryption.open(private_key);
        opened = { kid, key: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
      }
      return signClaims(claims, opened);
    },

    async publicKey(): Promise<{ kid: string; alg: string; publicKey: string }> {
      const { kid, public_key } = await newest();
      return { kid, alg: ALG, publicKey: public_key };
    },

    /** Replaces the newest key if it is old enough. Does nothing if there is no key yet. */
    async renew(): Promise<void> {
      if (!(await findNewest(db)) || (await findNewest(db, RENEWAL_DAYS))) return;
      await make(RENEWAL_DAYS);
    },
  };
}

/** Finds the newest key. If `days` is given, ignores keys older than this number of days. */
const findNewest = (db: DbOrTx, days?: number): Promise<Stored | undefined> =>
  db
    .selectFrom('sportsbook_keys')
    .select(['kid', 'private_key', 'public_key'])
    .where('retired_at', 'is', null)
    .$if(days !== undefined, (query) =>
      query.where('created_at', '>', sql<Date>`now() - interval '1 day' * ${days}::int`),
    )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();

export const TOKEN_SECONDS = 3600;
/** The previous token stays valid, so that the sportsbook can switch to the new one without interruption. */
const MAX_TOKENS = 2;
export const TOKEN_EXPIRY = { table: 'sportsbook_tokens', after: 'expires_at', keepSeconds: 0 };

/** Issues a token and revokes all but the two newest. Only hashes of tokens are stored. */
export const issueToken = (db: Db, providerId: number): Promise<string> =>
  transaction(db, async (tx) => {
    await sql`select from game_providers where id = ${providerId} for no key update`.execute(tx);
    const token = randomBytes(32).toString('base64url');
    // Uses the clock instead of the start of the transaction, because the transaction that gets the lock last issues the newest token.
    await sql`insert into sportsbook_tokens (token_hash, provider_id, created_at, expires_at) values (${hashToken(token)}, ${providerId},
      clock_timestamp(), clock_timestamp() + make_interval(secs => ${TOKEN_SECONDS}))`.execute(tx);
    await sql`delete from sportsbook_tokens where token_hash in (
      select token_hash from sportsbook_tokens where provider_id = ${providerId} order by created_at desc offset ${MAX_TOKENS})`.execute(
      tx,
    );
    return token;
  });

/** The common part of the operations that the sportsbook calls with its token. Throws 401 API_KEY_INVALID for any other token. */
export const sportsbookCall = {
  tag: 'Sportsbook external',
  access: 'apikey',
  async keyCheck({ db }: { db: Db }, token: string | undefined): Promise<void> {
    if (token === undefined || token.length > 200) throw commonErrors.API_KEY_INVALID();
    const row = await db
      .selectFrom('sportsbook_tokens')
      .select('provider_id')
      .where('token_hash', '=', hashToken(token))
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirst();
    if (!row) throw commonErrors.API_KEY_INVALID();
  },
  headers: z.object({
    'x-api-key': z
      .string()
      .meta({ description: 'The token returned by POST /sportsbook/external/auth/login.' }),
  }),
} as const;

type Balance = z.input<typeof SportsbookBalance>;

/**
 * Returns a player's balances in the known currencies of a list, or in all currencies that the player has ever had. Throws 400
 * error.user.not-found.
 */
export async function balancesIn(
  { db, currencies }: { db: Db; currencies: Pick<Currencies, 'ids'> },
  playerId: string,
  wanted: readonly string[] | undefined,
): Promise<Balance[]> {
  const held = await balancesOf(db, await getUserId(db, playerId));
  if (!wanted) return held.map(({ currencyId, cash }) => balanceOf(currencyId, cash));
  const known = new Set(currencies.ids());
  return [...new Set(wanted)]
    .filter((id) => known.has(id))
    .map((id) => balanceOf(id, held.find(({ currencyId }) => currencyId === id)?.cash ?? 0n));
}

export const balanceOf = (currency: string, cash: Units): Balance => ({
  currency,
  cash: formatUnits(cash),
  locked: '0',
  bonus: '0',
});

/** Returns the id of a player. Throws 400 error.user.not-found. */
export async function getUserId(db: Db, playerId: string): Promise<number> {
  const userId = userIdOf(playerId);
  const player =
    userId !== undefined &&
    (await db.selectFrom('players').select('user_id').where('user_id', '=', userId).executeTakeFirst());
  if (!player) throw sportsbookErrors['error.user.not-found']();
  return player.user_id;
}
