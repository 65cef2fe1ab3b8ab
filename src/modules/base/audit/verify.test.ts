import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { verifyAudit } from './verify.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/croupier.ts', import.meta.url));

let app: TestApp;
let clerk: Player;
beforeEach(async () => {
  app = await startApp({ reconcileOnStop: false });
  clerk = await app.as({ permissions: ['logger.read'] });
  for (let i = 0; i < 12; i++) expect((await clerk.call('GET', '/admin/logger')).status).toBe(200);
});
afterEach(() => app.stop());

/** Runs the statements with triggers disabled, as only a database superuser can. */
const tamper = (...statements: string[]) =>
  app.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });

const found = async (options = {}) => {
  const { breaks } = await verifyAudit(app.db, { batch: 5, ...options });
  return breaks.map(({ kind, id }) => `${kind} ${id}`);
};

const COLUMNS =
  'id, user_id, method, path, service, permission, status_code, ip, request_id, created_at, hash';
const copyOf = (row: number, as: string) =>
  `insert into admin_audit (${COLUMNS}) select ${COLUMNS.replace(/^id/, as)} from admin_audit where id = ${row}`;

describe('verification of the audit chain', () => {
  test('finds no breaks in an intact chain with any batch size', async () => {
    for (const batch of [1, 2, 5, 12, 5000]) {
      const { head, rows, breaks } = await verifyAudit(app.db, { batch });
      expect([rows, breaks, head.id]).toEqual([12, [], 12n]);
    }
  });

  test.each([
    'user_id = 999',
    `path = '/elsewhere'`,
    'status_code = 201',
    `request_body = '{}'`,
    `after = '{"a":1}'`,
    `created_at = created_at + interval '1 microsecond'`,
    `ip = null`,
    `reason = 'because'`,
  ])('finds an edited row: %s', async (edit) => {
    await tamper(`update admin_audit set ${edit} where id = 7`);
    expect(await found()).toEqual(['changed 7']);
  });

  test('finds an edited row with a recomputed hash when it checks the next row', async () => {
    await tamper(
      'update admin_audit set user_id = 999 where id = 7',
      'update admin_audit a set hash = audit_hash((select hash from admin_audit where id = 6), a) where id = 7',
    );
    expect(await found()).toEqual(['changed 8']);
  });

  test('finds missing rows at the start and in the middle', async () => {
    await tamper('delete from admin_audit where id in (1, 4, 8, 9, 10)');
    expect(await found()).toEqual(['missing 1', 'missing 4', 'missing 8']);
    const { breaks } = await verifyAudit(app.db);
    expect(breaks.map((b) => b.problem)).toEqual(['is missing', 'is missing', 'to 10 are missing']);
  });

  test('finds missing rows at the end', async () => {
    await tamper('delete from admin_audit where id > 9');
    expect(await found()).toEqual(['missing 10']);
    await tamper('delete from admin_audit');
    expect(await found()).toEqual(['missing 1']);
  });

  test('finds rows inserted before, after and instead of others', async () => {
    await tamper(copyOf(5, '0'), copyOf(5, '13'));
    expect(await found()).toEqual(['inserted 13', 'inserted 0']);
    await tamper('delete from admin_audit where id in (0, 5, 13)', copyOf(6, '5'));
    expect(await found()).toEqual(['changed 5', 'changed 6']);
  });

  test('finds a row inserted in the middle with all later rows renumbered', async () => {
    await tamper(
      'update admin_audit set id = -id - 1 where id > 5',
      'update admin_audit set id = -id where id < 0',
    );
    await tamper(copyOf(5, '6'), 'update admin_audit_head set id = 13');
    expect(await found()).toEqual(Array.from({ length: 8 }, (_, i) => `changed ${i + 6}`));
  });

  test('finds a changed head of the chain, and uses a saved head to find rows that were deleted together with the head', async () => {
    const { head } = await verifyAudit(app.db);
    expect(await found({ kept: head })).toEqual([]);
    await tamper(`update admin_audit_head set hash = sha256('x')`);
    expect(await found()).toEqual(['head 12']);
    await tamper(
      'delete from admin_audit where id > 10',
      'update admin_audit_head set id = 10, hash = (select hash from admin_audit where id = 10)',
    );
    expect(await found()).toEqual([]);
    expect(await found({ kept: head })).toEqual(['missing 11']);
    for (let i = 0; i < 3; i++) await clerk.call('GET', '/admin/logger');
    expect(await found()).toEqual([]);
    expect(await found({ kept: head })).toEqual(['changed 12']);
  });

  test('exits with 0 when the chain is intact, 1 when it is broken and 2 on invalid arguments', async () => {
    const sound = await run();
    expect(sound.code).toBe(0);
    const [, head] = /^the chain is valid: 12 rows\nhead (12:[0-9a-f]{64})\n$/.exec(sound.output)!;
    expect((await run(head)).code).toBe(0);
    await tamper(
      'update admin_audit set user_id = 999 where id = 3',
      'delete from admin_audit where id = 12',
    );
    const broken = await run(head);
    expect(broken.code).toBe(1);
    expect(broken.output).toMatch(
      /^BROKEN changed: 3 .*\nBROKEN missing: 12 is missing\n2 invalid entries: 11 rows\nhead 12:/,
    );
    expect((await run('12')).code).toBe(2);
  });
});

function run(...args: (string | undefined)[]): Promise<{ code: unknown; output: string }> {
  const { JWT_SECRET, SEED_SECRET } = app.config;
  const env = { APP_ENV: 'test', DATABASE_URL: app.database.url, JWT_SECRET, SEED_SECRET };
  return new Promise((resolve) => {
    const given = args.filter((arg) => arg !== undefined);
    execFile(process.execPath, [PROGRAM, 'audit', ...given], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}
