import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startSkins } from '../../../../test/kit/money/skins.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';

let returned: { depositId: string };
let paid: { depositId: string };
const skins = fixture(startSkins);
beforeAll(async () => {
  const [first, second] = [await skins.opened(), await skins.opened()];
  await skins.say(first.transactionId, 'SUCCESS');
  await skins.say(second.transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
  await skins.say(second.transactionId, 'HOLD_RETURNED');
  [paid, returned] = [first, second];
});

const findings = async (): Promise<[string, string, unknown][]> => {
  const report = await reconcile(skins.app.services.db, { seedSecret: skins.app.config.SEED_SECRET });
  return report.findings.map(({ invariant, problem, facts }) => [invariant, problem, facts.id]);
};

/** Applies a change, runs the checks and reverts the change. */
async function afterChange(change: string, undo: string) {
  await skins.app.sql.raw(change).execute(skins.app.db);
  try {
    return await findings();
  } finally {
    await skins.app.sql.raw(undo).execute(skins.app.db);
  }
}

const MONEY = 'a skin deposit does not match the ledger';
const STATUS = "a skin deposit's status does not match its credit";
const set = (values: string, id: string) => `update skin_deposits set ${values} where id = '${id}'`;

test('reports nothing when skin deposits match the ledger', async () => {
  expect(await findings()).toEqual([]);
});

test('reports a skin deposit whose amount, owner or credit differs from the ledger', async () => {
  const id = paid.depositId;
  const more = await afterChange(
    set('credited_amount = 5000000001', id),
    set('credited_amount = 5000000000', id),
  );
  expect(more).toEqual([['N6', MONEY, id]]);
  const { user_id } = await skins.row(id);
  const other = (await skins.row(returned.depositId)).user_id;
  const owner = await afterChange(set(`user_id = ${other}`, id), set(`user_id = ${user_id}`, id));
  // The checks find a row without its entry and an entry without its row.
  expect(owner).toEqual([
    ['N6', MONEY, id],
    ['N6', MONEY, id],
  ]);
  const unpaid = await afterChange(
    set("status = 'IN_HOLD', credited_amount = null, credited_usd_amount = null, credited_at = null", id),
    set(
      "status = 'SUCCESS', credited_amount = 5000000000, credited_usd_amount = 5000000000, credited_at = now()",
      id,
    ),
  );
  expect(unpaid).toEqual([['N6', MONEY, id]]);
});

test('reports a skin deposit whose status does not match its credited amount', async () => {
  const { depositId } = returned;
  expect(
    await afterChange(set("status = 'SUCCESS'", depositId), set("status = 'HOLD_RETURNED'", depositId)),
  ).toEqual([['N6', STATUS, depositId]]);
  const open = await afterChange(
    set("status = 'FAIL'", paid.depositId),
    set("status = 'SUCCESS'", paid.depositId),
  );
  expect(open).toEqual([['N6', STATUS, paid.depositId]]);
});
