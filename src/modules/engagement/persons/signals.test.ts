import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { RECIPIENTS } from '../../../../test/kit/money/withdrawals.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { connectionsOf, signalsAmong } from './signals.ts';

const app = fixture(startApp);

type Recipient = { currency: string; network: string; address: string; memo?: string };

/** Stores a withdrawal without moving money. */
const paidTo = (tx: Tx, { id }: Player, { currency, network, address, memo = '' }: Recipient) =>
  sql`insert into withdrawals (id, user_id, currency_id, network_id, amount, fee, usd_amount, is_priced,
      recipient_address, recipient_memo, status, status_history, risk_score, risk_reasons)
    values (gen_random_uuid(), ${id}, ${currency}, ${network}, 1, 0, 1, true,
      ${address}, nullif(${memo}, ''), 'CANCELLED', '[]', 0, '{}')`.execute(tx);

/** Runs `work` in a transaction that is rolled back, because reconciliation would report withdrawals that never moved money. */
async function rolledBack(work: (tx: Tx) => Promise<void>): Promise<void> {
  const undone = new Error('rolled back');
  const run = app.db.transaction().execute(async (tx) => {
    await work(tx);
    throw undone;
  });
  await expect(run).rejects.toBe(undone);
}

const CASH_ADDRESS = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const { ethereum, bitcoin, ripple } = RECIPIENTS;

test.each<[string, Recipient, Recipient, boolean]>([
  [
    'an EVM address on another network',
    { currency: 'USDT', network: 'ethereum', address: ethereum },
    { currency: 'BNB', network: 'bsc', address: ethereum.toLowerCase() },
    true,
  ],
  [
    'a legacy Bitcoin address on Bitcoin Cash',
    { currency: 'BTC', network: 'bitcoin', address: bitcoin },
    { currency: 'BCH', network: 'bitcoincash', address: bitcoin },
    true,
  ],
  [
    'a CashAddr without its prefix',
    { currency: 'BCH', network: 'bitcoincash', address: CASH_ADDRESS },
    { currency: 'BCH', network: 'bitcoincash', address: CASH_ADDRESS.replace('bitcoincash:', '') },
    true,
  ],
  [
    'a shared address with a different memo',
    { currency: 'XRP', network: 'ripple', address: ripple, memo: '1' },
    { currency: 'XRP', network: 'ripple', address: ripple, memo: '2' },
    false,
  ],
])('compares payout addresses regardless of network: %s', async (_, own, theirs, isSame) => {
  const [player, other] = [await app.newPlayer(), await app.newPlayer()];
  await rolledBack(async (tx) => {
    await paidTo(tx, player, own);
    await paidTo(tx, other, theirs);
    for (const [one, two] of [
      [player, other],
      [other, player],
    ] as const) {
      const signals = (await signalsAmong(tx, one.id, sql`select ${two.id}::int4`)).get(two.id);
      expect(signals?.has('PAYOUT_ADDRESS') ?? false).toBe(isSame);
    }
  });
});

const mailboxOf = async (email: string): Promise<string> => {
  const { rows } = await sql<{ mailbox: string }>`select person_mailbox(${email}) as mailbox`.execute(app.db);
  return rows[0]!.mailbox;
};

test.each([
  [['Ann.B+x@GoogleMail.com', 'annb@gmail.com']],
  [['ann+casino@own-domain.example', 'Ann@own-domain.example']],
  [['ann_b@proton.me', 'ann.b+1@protonmail.com', 'a-nnb@pm.me']],
  [['ann@icloud.com', 'ann@me.com', 'ann+2@mac.com']],
  [['ann.b@yandex.ru', 'ann-b@ya.ru', 'ann-b+x@yandex.com']],
  [['casino@ann.fastmail.com', 'ann+x@fastmail.com']],
])('recognizes the same mailbox in %j', async (emails) => {
  expect(new Set(await Promise.all(emails.map(mailboxOf))).size).toBe(1);
});

test.each([
  [['ann@outlook.com', 'ann@hotmail.com', 'ann@live.com']],
  [['ann.b@outlook.com', 'annb@outlook.com']],
  [['ann.b@own-domain.example', 'annb@own-domain.example']],
  [['+a@own-domain.example', '+b@own-domain.example']],
  [['ann@fastmail.com', 'ann@fastmail.fm', 'ann@eve.fastmail.com']],
])('distinguishes mailboxes that may belong to different people: %j', async (emails) => {
  expect(new Set(await Promise.all(emails.map(mailboxOf))).size).toBe(emails.length);
});

test('detects that two accounts share a mailbox', async () => {
  const [player, other] = [await app.newPlayer(), await app.newPlayer()];
  const change = (id: number, email: string) =>
    app.db.updateTable('users').set({ email }).where('id', '=', id).execute();
  await change(player.id, `one-${player.id}@pm.me`);
  await change(other.id, `one${player.id}+again@protonmail.com`);
  const found = await signalsAmong(app.db, player.id, sql`select ${other.id}::int4`);
  expect(found.get(other.id)).toContain('MAILBOX');
});

test('reads only some accounts of a crowded network, and all signals of those found by another signal', async () => {
  const [player, twin, ...crowd] = await Promise.all([1, 2, 3, 4, 5].map(() => app.newPlayer()));
  const ids = [player!, twin!, ...crowd].map(({ id }) => id);
  await rolledBack(async (tx) => {
    await sql`delete from sessions where user_id = any(${ids})`.execute(tx);
    await sql`update registration_info set ip_address = '10.6.6.6' where user_id = any(${ids})`.execute(tx);
    const address = { currency: 'USDT', network: 'ethereum', address: ethereum };
    for (const who of [player!, twin!]) await paidTo(tx, who, address);
    const read = (most: number) => connectionsOf(tx, { userId: player!.id, most, mostAddresses: 5 });
    const all = await read(5);
    expect([all.isCut, all.signals.size]).toEqual([false, 4]);
    const few = await read(2);
    expect(few.isCut).toBe(true);
    expect(few.signals.size).toBeLessThan(4);
    expect([...few.signals.get(twin!.id)!]).toEqual(['NETWORK', 'DEVICE', 'PAYOUT_ADDRESS']);
    await sql`insert into sessions (id, user_id, refresh_hash, ip_address, expires_at)
      select gen_random_uuid(), ${player!.id}, sha256(n::text::bytea), '10.6.7.' || n, now() + interval '1 day' from generate_series(1, 5) n`.execute(
      tx,
    );
    const newest = await read(5);
    expect([newest.isCut, newest.signals.has(twin!.id)]).toEqual([true, true]);
    const exact = await signalsAmong(tx, player!.id, sql`select unnest(${ids}::int4[])`);
    expect(exact).toEqual(all.signals);
  });
});
