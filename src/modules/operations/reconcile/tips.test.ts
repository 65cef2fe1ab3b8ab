/** Invariant N10: finds each difference between tips, daily tip totals and the ledger, and reports nothing else. */
import { expect } from 'vitest';
import { testBreaks } from '../../../../test/kit/backoffice/findings.ts';
import { newTipper, startTips, tip } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(async () => {
  const started = await startTips();
  const [sender, recipient] = [await newTipper(started, 100), await newTipper(started)];
  for (const amount of ['5', '7']) expect((await tip(sender, recipient, { amount })).status).toBe(201);
  const boss = await started.as('superadmin');
  for (const path of ['/admin/admin-tips', '/admin/admin-tips/deduct-balance']) {
    const body = { recipientUserId: recipient.id, currencyId: 'USDT', amount: '3', notes: 'a test' };
    expect((await boss.call('POST', path, { body })).status).toBe(200);
  }
  return started;
});

const ENTRY = 'a tip does not match exactly one ledger entry';
const DAYS = "a player's daily tip totals are not the sums of their tips";
const OF_STAFF = 'a tip or deduction by staff does not match exactly one ledger entry';
const HOURS = 'hourly reward totals do not match the ledger';

const FIRST = 'id = (select min(id) from tips)';

testBreaks(app, [
  [
    'a unit of a tip',
    `update tips set amount = amount + 1 where ${FIRST}`,
    `update tips set amount = amount - 1 where ${FIRST}`,
    [ENTRY],
  ],
  [
    'a tip of another player',
    `update tips set sender_id = recipient_id, recipient_id = sender_id where ${FIRST}`,
    `update tips set sender_id = recipient_id, recipient_id = sender_id where ${FIRST}`,
    [ENTRY, DAYS],
  ],
  [
    'a tip in another currency',
    `update tips set currency_id = 'BTC' where ${FIRST}`,
    `update tips set currency_id = 'USDT' where ${FIRST}`,
    [ENTRY],
  ],
  [
    'a tip without an entry',
    `insert into tips (sender_id, recipient_id, currency_id, amount, usd_amount, is_public, created_at)
      select sender_id, recipient_id, currency_id, 1, 1, true, created_at from tips where ${FIRST}`,
    'delete from tips where amount = 1',
    [ENTRY, DAYS],
  ],
  [
    'an entry without its tip',
    `create table tips_away as select * from tips where ${FIRST}; delete from tips where ${FIRST}`,
    'insert into tips overriding system value select * from tips_away; drop table tips_away',
    [ENTRY, DAYS],
  ],
  [
    'a dollar that was sent',
    'update tip_days set sent_usd = sent_usd + 1 where sent_usd > 0',
    'update tip_days set sent_usd = sent_usd - 1 where sent_usd > 0',
    [DAYS],
  ],
  [
    'a dollar that was received',
    'update tip_days set received_usd = received_usd - 1 where received_usd > 0',
    'update tip_days set received_usd = received_usd + 1 where received_usd > 0',
    [DAYS],
  ],
  ['a day', 'update tip_days set day = day - 1', 'update tip_days set day = day + 1', [DAYS]],
  [
    'a unit of what staff gave',
    `update admin_tips set amount = amount + 1 where kind = 'TIP'`,
    `update admin_tips set amount = amount - 1 where kind = 'TIP'`,
    [OF_STAFF],
  ],
  [
    'a unit of what staff took',
    `update admin_tips set amount = amount + 1 where kind = 'DEDUCTION'`,
    `update admin_tips set amount = amount - 1 where kind = 'DEDUCTION'`,
    [OF_STAFF],
  ],
  [
    'a tip that is called a deduction',
    `update admin_tips set kind = case kind when 'TIP' then 'DEDUCTION' else 'TIP' end`,
    `update admin_tips set kind = case kind when 'TIP' then 'DEDUCTION' else 'TIP' end`,
    [OF_STAFF],
  ],
  [
    'another member of staff',
    'update admin_tips set sender_id = (select max(sender_id) from tips)',
    `update admin_tips set sender_id = (select actor_id from ledger_entries where key = 'admintip:' || admin_tips.id)`,
    [OF_STAFF],
  ],
  [
    'an hour of what staff gave',
    `update money_hours set amount = amount + 1 where kind = 'admin.tip'`,
    `update money_hours set amount = amount - 1 where kind = 'admin.tip'`,
    [HOURS],
  ],
  [
    'an hour of what staff took',
    `update money_hours set kind = 'admin.tips' where kind = 'admin.deduction'`,
    `update money_hours set kind = 'admin.deduction' where kind = 'admin.tips'`,
    [HOURS],
  ],
]);
