import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Config } from '../../../../platform/config/config.ts';
import { type Db, type DbOrTx, transaction } from '../../../../platform/database/db.ts';
import { createEncryption, dataSecret } from '../../../../platform/secrets/encryption.ts';
import { keyIdOf, type PlayerClaims, signClaims } from './rules.ts';

const ALG = 'RS256';
const RENEWAL_DAYS = 90;
const makePair = promisify(generateKeyPair);

type Stored = { kid: string; private_key: Buffer; public_key: string };

/**
 * The keys that sign players' tokens for the sportsbook. The newest key signs and is public. A token is valid for at most five minutes after
 * a change of keys, if the verifier keeps the former key by its `kid`. Private keys are encrypted at rest.
 */
export function createSigningKeys({ db, config }: { db: Db; config: Config }) {
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

    /** Replaces the newest key when it is old enough. Creates no first key. */
    async renew(): Promise<void> {
      if (!(await findNewest(db)) || (await findNewest(db, RENEWAL_DAYS))) return;
      await make(RENEWAL_DAYS);
    },
  };
}

/** Finds the current key; with `days` only if it is not older. */
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
