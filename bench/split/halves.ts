import type pg from 'pg';
import { type Place, placeOf, SIDE } from './places.ts';

export type Places = ReadonlyMap<string, Place>;

/** Returns every table of the schema, with the location of its rows if players were sharded (places.ts). */
export async function readPlaces(db: pg.Client): Promise<Places> {
  const { rows } = await db.query<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by 1 order by 1`);
  return new Map(rows.map(({ name, columns }) => [name, placeOf(name, columns)]));
}

/** Returns an SQL expression for the half of the data to which row `t` belongs. */
function sideOf(place: Place): string | undefined {
  switch (place.kind) {
    case 'player':
      return `split.side(t.${place.column})`;
    case 'with':
      return `(select split.side(o.user_id) from ${place.table} o where o.${place.key} = t.${place.column})`;
    case 'entry':
      return `(select split.side(max(o.user_id)) from ledger_lines o where o.entry_id = t.id)`;
    default:
      return undefined;
  }
}

/**
 * Starts to record every change of a row with its transaction, its statement and its player's half. Half 2 means that the row exists in
 * both halves, as the rows of the catalogue do. Ledger entries are not recorded themselves, because their postings are.
 */
export async function captureWrites(db: pg.Client, places: Places): Promise<void> {
  await db.query(`
    create schema split;
    create function split.side(bigint) returns integer stable language sql as $$ ${SIDE} $$;
    create table split.writes (
      xid xid8 not null, query text not null, name text not null, side integer not null, primary key (xid, query, name, side));
    create function split.note() returns trigger language plpgsql security definer as $$
    declare
      t jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
      id bigint;
    begin
      if tg_nargs = 4 then
        execute format('select user_id from %I where %I::text = $1', tg_argv[2], tg_argv[3]) into id using t ->> tg_argv[1];
      else
        id := t ->> tg_argv[1];
      end if;
      insert into split.writes values (pg_current_xact_id(), md5(current_query()), tg_argv[0], split.side(id))
        on conflict do nothing;
      return null;
    end $$`);
  for (const [table, place] of places) {
    const args = argumentsOf(table, place);
    if (!args) continue;
    const list = args.map((text) => `'${text}'`).join(', ');
    await db.query(`create trigger zz_split_note after insert or update or delete on ${table}
      for each row execute function split.note(${list})`);
  }
}

function argumentsOf(table: string, place: Place): string[] | undefined {
  if (place.kind === 'player') return [table, place.column];
  if (place.kind === 'with') return [table, place.column, place.table, place.key];
  return place.kind === 'catalogue' ? [table] : undefined;
}

/** A recorded write: a transaction, its statement, a table and the half that it wrote. */
export type Write = { xid: string; query: string; name: string; side: number };

export async function readWrites(db: pg.Client): Promise<Write[]> {
  const { rows } = await db.query<Write>(
    `select xid::text, query, name, side from split.writes order by xid, query, name`,
  );
  return rows;
}

/** Removes all rows that belong only to the other half from a copy of the whole database. */
export async function keepHalf(db: pg.Client, places: Places, side: 0 | 1): Promise<void> {
  await db.query(`set session_replication_role = replica`);
  const late = [...places].toSorted(
    ([, a], [, b]) => Number(a.kind === 'player') - Number(b.kind === 'player'),
  );
  for (const [table, place] of late) {
    const own = sideOf(place);
    if (own) await db.query(`delete from ${table} t where ${own} = ${1 - side}`);
  }
  await db.query(`set session_replication_role = default; analyze`);
}
