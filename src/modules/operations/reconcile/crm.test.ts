/** Invariant N10: finds each difference between CRM credits, the ledger and grants, and reports nothing else. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { aTrigger, crmCall } from '../../../../test/kit/backoffice/crm.ts';
import { newPromo, PROMO_STAFF } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';

const app = fixture(async () => {
  const started = await startApp();
  const players = [await started.newPlayer(), await started.newPlayer()];
  const promo = await newPromo(await started.as(PROMO_STAFF), { type: 'MANUAL' });
  for (const { id } of players) {
    const user_id = String(id);
    const cash = { user_id, amount: '5', currency: 'USDT', reason: 'a test' };
    for (const [path, body] of [
      ['/marketing/bonus/credit/funds', cash],
      ['/marketing/bonus/credit', { user_id, bonus_code: promo }],
    ] as const)
      expect((await crmCall(started)('POST', path, { body, headers: aTrigger() })).status).toBe(200);
  }
  return started;
});

const found = async () => {
  const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET });
  return [...new Set(findings.map(({ problem }) => problem))].sort();
};

const CASH = 'a CRM cash credit does not match exactly one ledger entry';
const GRANTS = 'CRM grants do not match CRM credits';

const FUNDS = 'entry_id = (select min(entry_id) from crm_credits)';
const GRANT = 'grant_id = (select min(grant_id) from crm_credits)';
const OTHER = '(select max(user_id) from crm_credits)';
const OWN = '(select min(user_id) from crm_credits)';

test('reports nothing for consistent CRM data', async () => expect(await found()).toEqual([]));

test.each<[string, string, string, string[]]>([
  [
    'cash of another player',
    `update crm_credits set user_id = ${OTHER} where ${FUNDS}`,
    `update crm_credits set user_id = (select user_id from ledger_lines l where l.entry_id = crm_credits.entry_id) where ${FUNDS}`,
    [CASH],
  ],
  [
    'cash under another hash',
    `update crm_credits set hash = hash || '\\x00' where ${FUNDS}`,
    `update crm_credits set hash = substr(hash, 1, 32) where ${FUNDS}`,
    [CASH],
  ],
  [
    'cash without a credit',
    `create table crm_away as select * from crm_credits where ${FUNDS}; delete from crm_credits where ${FUNDS}`,
    'insert into crm_credits select * from crm_away; drop table crm_away',
    [CASH],
  ],
  [
    'a credit without cash',
    `insert into crm_credits (hash, user_id, content, entry_id, refs) values ('\\x01', ${OWN}, '', 1, '{}')`,
    `delete from crm_credits where hash = '\\x01'`,
    [CASH],
  ],
  [
    'a grant of another player',
    `update crm_credits set user_id = ${OTHER} where ${GRANT}`,
    `update crm_credits set user_id = (select user_id from promo_grants g where g.id = grant_id) where ${GRANT}`,
    [GRANTS],
  ],
  [
    'a grant under another hash',
    `update crm_credits set hash = hash || '\\x00' where ${GRANT}`,
    `update crm_credits set hash = substr(hash, 1, 32) where ${GRANT}`,
    [GRANTS],
  ],
  [
    'a grant without a credit',
    `create table crm_away as select * from crm_credits where ${GRANT}; delete from crm_credits where ${GRANT}`,
    'insert into crm_credits select * from crm_away; drop table crm_away',
    [GRANTS],
  ],
  [
    'a grant of another source',
    `update promo_grants set source = 'ADMIN' where id = (select min(grant_id) from crm_credits)`,
    `update promo_grants set source = 'CRM' where id = (select min(grant_id) from crm_credits)`,
    [GRANTS],
  ],
])('%s', async (_, breaks, mends, problems) => {
  await sql.raw(breaks).execute(app.db);
  expect(await found()).toEqual(problems);
  await sql.raw(mends).execute(app.db);
  expect(await found()).toEqual([]);
});
