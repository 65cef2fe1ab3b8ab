import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import {
  createEncryption,
  type DataSecret,
  dataSecret,
  seedSecret,
} from '../../../platform/secrets/encryption.ts';
import { type Resealed, reseal, type SealedColumn } from '../../../platform/secrets/reseal.ts';
import { createPersons } from '../../compliance/kyc/persons.ts';
import type { Person } from '../../compliance/kyc/schemas.ts';

export type Secrets = DataSecret & Pick<Config, 'SEED_SECRET' | 'SEED_SECRET_PREVIOUS'>;

/** Every column that is encrypted with DATA_SECRET or SEED_SECRET and is stored longer than a queued task. */
export function sealedColumns(config: Secrets): SealedColumn[] {
  const data = (purpose: string) => createEncryption(dataSecret(config), purpose);
  const seed = (purpose: string) => createEncryption(seedSecret(config), purpose);
  const persons = createPersons(dataSecret(config));
  const factors = { encryption: data('second factors') };
  return [
    { table: 'mfa_secrets', key: 'user_id', column: 'active', ...factors },
    { table: 'mfa_secrets', key: 'user_id', column: 'pending', ...factors },
    {
      table: 'kyc_persons',
      key: 'user_id',
      column: 'sealed',
      encryption: persons.encryption,
      derived: (plain) => ({ person_key: persons.keysOf(JSON.parse(plain.toString()) as Person)[0]! }),
    },
    { table: 'sportsbook_keys', key: 'kid', column: 'private_key', encryption: data('sportsbook keys') },
    { table: 'seed_pairs', key: 'id', column: 'server_seed', encryption: seed('server seeds') },
    { table: 'speed_chains', key: 'id', column: 'links', encryption: seed('speed-roulette chains') },
  ];
}

/** Re-encrypts all these columns with the current secrets, one column after another. */
export async function resealAll(
  db: Db,
  config: Secrets,
  say: (column: string, done: Resealed) => void,
): Promise<Resealed> {
  const total: Resealed = { rows: 0, resealed: 0, unreadable: 0 };
  for (const column of sealedColumns(config)) {
    const name = `${column.table}.${column.column}`;
    const done = await reseal(db, column, (soFar) => say(name, soFar));
    total.rows += done.rows;
    total.resealed += done.resealed;
    total.unreadable += done.unreadable;
  }
  return total;
}
