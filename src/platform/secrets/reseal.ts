import { sql } from 'kysely';
import type { Db } from '../database/db.ts';
import type { Encryption } from './encryption.ts';

/** A column with encrypted values, and the columns derived from them with the same secret. */
export type SealedColumn = {
  table: string;
  key: string;
  column: string;
  encryption: Encryption;
  /** Computes, from the decrypted value, the other columns that depend on the secret. */
  derived?: (plain: Buffer) => Readonly<Record<string, Buffer>>;
};

export type Resealed = { rows: number; resealed: number; unreadable: number };

const BATCH = 500;

type Row = { key: string | number | bigint; sealed: Buffer };

/**
 * Re-encrypts a column's values from the previous secret with the current one. Values that already use the current one are skipped, so the
 * run can be interrupted and repeated. It is safe while services run: a value that changes in the meantime is not overwritten.
 */
export async function reseal(
  db: Db,
  { table, key, column, encryption, derived }: SealedColumn,
  progress: (done: Resealed) => void,
): Promise<Resealed> {
  const done: Resealed = { rows: 0, resealed: 0, unreadable: 0 };
  const [from, id, value] = [sql.table(table), sql.ref(key), sql.ref(column)];
  for (let after: Row['key'] | undefined; ; ) {
    const { rows } = await sql<Row>`select ${id} as key, ${value} as sealed from ${from}
      where ${value} is not null ${after === undefined ? sql`` : sql`and ${id} > ${after}`}
      order by ${id} limit ${BATCH}`.execute(db);
    for (const row of rows) {
      done.rows++;
      if (encryption.isCurrent(row.sealed)) continue;
      const plain = openOrNot(encryption, row.sealed);
      if (plain === undefined) {
        done.unreadable++;
        continue;
      }
      const values = { [column]: encryption.seal(plain), ...derived?.(plain) };
      const changes = Object.entries(values).map(([name, to]) => sql`${sql.ref(name)} = ${to}`);
      const { numAffectedRows = 0n } = await sql`update ${from} set ${sql.join(changes)}
        where ${id} = ${row.key} and ${value} = ${row.sealed}`.execute(db);
      done.resealed += Number(numAffectedRows);
    }
    progress(done);
    if (rows.length < BATCH) return done;
    after = rows.at(-1)!.key;
  }
}

function openOrNot(encryption: Encryption, sealed: Buffer): Buffer | undefined {
  try {
    return encryption.open(sealed);
  } catch {
    return undefined;
  }
}
