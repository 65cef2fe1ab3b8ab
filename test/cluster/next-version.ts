import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nextNumber } from '../../scripts/migrations.ts';
import { partEnv } from '../crash/processes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const NEXT = '99.0.0';
/** The parts of the repository that a version runs from. */
const PARTS = [
  'src',
  'schema',
  'migrations',
  'docs/openapi',
  'docs/asyncapi.json',
  'web/verifier',
  'web/art',
];

/**
 * The migration of the next version. It adds a column to a frequently written table, a new table, and a trigger that fills both for
 * processes of the old version. It passes the migration check.
 */
export const EXPAND = `
alter table players add column vault_moves integer not null default 0;
create table vault_moves (
  entry_id bigint primary key,
  moved_by text not null
);
create function count_vault_move() returns trigger language plpgsql as $$
begin
  insert into vault_moves (entry_id, moved_by) values (new.id, 'the trigger');
  update players set vault_moves = vault_moves + 1 where user_id = new.actor_id;
  return null;
end $$;
create trigger ledger_entries_vault_moves after insert on ledger_entries for each row
  when (new.kind in ('vault.to', 'vault.from')) execute function count_vault_move();
`;

/** The line of code after which the next version inserts into the new table. */
const POSTED = /const \[posted\] = await post\(tx, [^;]*kind, actorId: userId[^;]*;\n/;
const USES = `
  await sql\`update vault_moves set moved_by = \${VERSION} where entry_id = \${posted!.entryId}\`.execute(tx);
`;

export type NextVersion = ReturnType<typeof makeNextVersion>;

/** Creates the next version as a modified copy of this version. */
export function makeNextVersion() {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-next-'));
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { version, ...rest } = JSON.parse(readFileSync(join(ROOT, 'src/package.json'), 'utf8'));
  writeFileSync(join(folder, 'src/package.json'), JSON.stringify({ ...rest, version: NEXT }));
  const migration = `${nextNumber(readdirSync(join(folder, 'migrations')))}-vault-moves`;
  writeFileSync(join(folder, 'migrations', `${migration}.sql`), EXPAND);
  const service = join(folder, 'src/modules/money/wallet/balances.ts');
  const code = readFileSync(service, 'utf8');
  if (!POSTED.test(code)) throw new Error(`what the next version changes stands no longer in ${service}`);
  const imports = "import { sql } from 'kysely';\nimport { VERSION } from '../../../platform/version.ts';\n";
  writeFileSync(service, imports + code.replace(POSTED, (posted) => posted + USES));
  return {
    migration,
    version: version as string,
    /** The program that processes of the next version run. */
    part: join(folder, 'src/bin/part.ts'),
    /** Runs the migrations of the next version and returns the output. Rejects if they fail. */
    migrate: (databaseUrl: string) =>
      new Promise<string>((done, failed) => {
        const env = { ...process.env, ...partEnv(databaseUrl, { ALLOW_UNSAFE_DATABASE: 'true' }) };
        execFile(
          process.execPath,
          [join(folder, 'src/bin/croupier.ts'), 'migrate'],
          { env },
          (error, stdout, stderr) => (error ? failed(new Error(`${stdout}${stderr}`)) : done(stdout)),
        );
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
