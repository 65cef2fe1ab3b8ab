import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { decide, waiting } from '../../../../test/kit/money/withdrawals.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));

test('reports a withdrawal whose status or amount does not match the ledger, and a wrong counter', async () => {
  const { id } = await waiting(app);
  expect((await decide(boss, 'reject', (await waiting(app)).id)).status).toBe(201);
  const problems = async (spoil: string) => {
    await app.sql.raw(spoil).execute(app.db);
    const { findings } = await reconcile(app.db as never, { seedSecret: app.config.SEED_SECRET });
    return findings.filter(({ invariant }) => invariant === 'N6').map(({ problem }) => problem);
  };
  const [legs, hold] = [
    "a withdrawal's postings do not match its status",
    "a player's held balance is not the sum of their open withdrawals",
  ];
  expect(await problems('select 1')).toEqual([]);
  expect(await problems(`update withdrawals set status = 'REJECTED' where id = '${id}'`)).toEqual([
    legs,
    hold,
  ]);
  expect(
    await problems(
      `update withdrawals set status = 'WAITING_FOR_APPROVAL', amount = amount + 1 where id = '${id}'`,
    ),
  ).toEqual([legs, hold]);
  expect(await problems(`update withdrawals set amount = amount - 1 where id = '${id}'`)).toEqual([]);
  const counter = `update withdrawal_counts set withdrawals = withdrawals`;
  const one = `where status = 'REJECTED' and shard = (select min(shard) from withdrawal_counts where status = 'REJECTED')`;
  expect(await problems(`${counter} + 1 ${one}`)).toEqual([
    'the withdrawal counters do not match the number of withdrawals',
  ]);
  expect(await problems(`${counter} - 1 ${one}`)).toEqual([]);
});
