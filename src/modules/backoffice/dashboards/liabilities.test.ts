/** Compares the dashboard's liabilities with players' wallets, with postings and with claimable rewards. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { betOnDice, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { countRewards, liftLimits } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { bonusFor, grantsOf } from '../../../../test/kit/money/grants.ts';
import { withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { formatUnits, type Units, units } from '../../../platform/money.ts';
import { countDay } from '../../engagement/liabilities/module.ts';
import { createAccountHours } from '../../money/ledger/account-hours.ts';
import { codeOf } from '../../money/ledger/rules.ts';

const ACCOUNTS = { cash: 'cash', vault: 'vault', bonus: 'bonus', hold: 'pendingWithdrawals' } as const;

const app = fixture(() => startApp({ env: { ...PATIENCE, DASHBOARD_SHARED_SECONDS: '0' } }));
const staff = fixture(() => app.as({ permissions: ['dashboard.read'] }));
const boss = fixture(() => app.as('superadmin'));
const players: Player[] = [];
beforeAll(() => liftLimits(app));

/** Reads the liabilities from the start of today to the start of tomorrow. */
async function liabilities() {
  const day = new Date().setUTCHours(0, 0, 0, 0);
  const period = new URLSearchParams({
    startDate: new Date(day).toISOString(),
    endDate: new Date(day + 86_400_000).toISOString(),
  });
  const { status, body, text } = await staff.call('GET', `/admin/dashboard/liabilities?${period}`);
  expect(status, text).toBe(200);
  return body;
}

/** Returns, by currency, the sums of all wallets and the sums of all postings to player accounts. */
async function inTheBooks() {
  const { rows: wallets } = await sql<Record<string, string>>`
    select currency_id, sum(cash)::text as cash, sum(vault)::text as vault, sum(bonus)::text as bonus, sum(hold)::text as hold
    from wallets group by 1 having sum(cash + vault + bonus + hold) > 0 order by 1`.execute(app.db);
  const { rows: lines } = await sql<{ currency_id: string; account: number; amount: string }>`
    select currency_id, account, sum(change)::text as amount from ledger_lines
    cross join lateral (values (debit, -amount), (credit, amount)) side(account, change) group by 1, 2`.execute(
    app.db,
  );
  for (const { currency_id: currencyId, ...held } of wallets)
    for (const [account, amount] of Object.entries(held)) {
      const posted = lines.find(
        (line) => line.currency_id === currencyId && line.account === codeOf(account as 'cash'),
      );
      expect(posted?.amount ?? '0').toBe(amount);
    }
  return wallets.map(({ currency_id: currencyId, ...held }) => ({
    currencyId,
    ...Object.fromEntries(
      Object.entries(ACCOUNTS).map(([account, column]) => [column, formatUnits(BigInt(held[account]!))]),
    ),
  }));
}

const balancesIn = (rows: { [column: string]: string }[]) =>
  rows.map((row) =>
    Object.fromEntries(['currencyId', ...Object.values(ACCOUNTS)].map((column) => [column, row[column]])),
  );

async function live(player: Player): Promise<void> {
  const done = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    expect(status, text).toBe(201);
  };
  const move = { currencyId: 'USDT', amount: '12.345678' };
  await done(player.call('POST', '/accounting/to-vault', { body: move }));
  await done(withdraw(player));
  await grantsOf(app).issue(bonusFor(player, { amount: '7' }));
  for (const betAmount of ['1', '2.5', '0.333333']) await done(betOnDice(player, { betAmount }));
  await done(betOnDice(player, { currencyId: 'BTC', betAmount: '5' }));
}

test('returns liabilities that match wallets and postings in every currency, before and after hours are merged into days', async () => {
  players.push(await app.newPlayer({ usdt: 100 }), await app.newPlayer({ usdt: 250 }));
  for (const player of players) {
    const body = { currencyId: 'BTC', balance: '0.001' };
    const given = await boss.call('PUT', `/admin/user/${player.id}/balance`, { body });
    expect(given.status, given.text).toBe(200);
    await live(player);
  }
  const known = await inTheBooks();
  expect(known.map(({ currencyId }) => currencyId)).toEqual(expect.arrayContaining(['BTC', 'USDT']));
  const usdt = known.find(({ currencyId }) => currencyId === 'USDT') as unknown as Record<string, string>;
  for (const column of ['vault', 'bonus', 'pendingWithdrawals']) expect(usdt[column]).not.toBe('0');
  expect(balancesIn((await liabilities()).current)).toEqual(known);
  await createAccountHours(app.db).rollUp();
  expect(balancesIn((await liabilities()).current)).toEqual(known);
});

test('returns the claimable rakeback of all players, and totals at current exchange rates', async () => {
  const player = await app.newPlayer({ usdt: 5000 });
  players.push(player);
  const { status } = await betOnDice(player, { betAmount: '1234.5' });
  expect(status).toBe(201);
  await countRewards(app);
  await countDay(app.services);
  const { current } = await liabilities();
  const told = new Map<string, Units>();
  for (const one of players)
    for (const { currencyId, instant } of (await one.call('GET', '/rakeback')).body.currencies)
      told.set(currencyId, (told.get(currencyId) ?? 0n) + units(instant.claimable));
  expect(told.get('USDT')).toBeGreaterThan(0n);
  for (const { currencyId, claimableRakeback } of current)
    expect(claimableRakeback).toBe(formatUnits(told.get(currencyId) ?? 0n));
  for (const { currencyId, totalUsd, ...amounts } of current) {
    const total = Object.values(amounts as Record<string, string>).reduce((sum, a) => sum + units(a), 0n);
    expect(totalUsd).toBe(formatUnits(app.services.currencies.toUsd(currencyId, total)));
  }
});
