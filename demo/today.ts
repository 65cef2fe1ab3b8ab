import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { makeAddress } from './addresses.ts';
import type { createMoney } from './money.ts';
import type { Offers } from './offers.ts';
import { payWinners } from './offers.ts';
import { type createPlay, HOUSE_GAMES, type Outside } from './play.ts';
import type { Player } from './player.ts';
import type { Random } from './random.ts';
import { isRegular } from './regular.ts';
import type { Staff } from './staff.ts';

/** The number of withdrawal requests on the current day. */
const REQUESTS = 24;
const SETTINGS_AGREE_MS = 1200;

type Today = {
  random: Random;
  players: readonly Player[];
  staff: Staff;
  offers: Offers;
  play: ReturnType<typeof createPlay>;
  money: ReturnType<typeof createMoney>;
  outside: Outside;
  finishWagering: (userId: number) => Promise<void>;
};

/** Creates ongoing activity in real time, so that viewers of the demo see it. The sandbox provides all external services. */
export async function liveToday(today: Today): Promise<void> {
  await everyGame(today);
  await Promise.all([
    proofsOfIdentity(today),
    vipApplications(today),
    speedRoulette(today),
    openDeposits(today),
  ]);
  await payWinners(today.staff, today.offers);
  await payouts(today);
  await activeBonus(today);
}

/** Gives the player whose credentials are printed a bonus that is being wagered. It is last, because an active bonus blocks withdrawals. */
async function activeBonus({ players, offers, money, play }: Today): Promise<void> {
  const player = players.find(isRegular);
  if (!player) return;
  await player.try('POST /promo/redeem', { body: { promoId: offers.promos.deposit } });
  await money.deposit(player);
  await play.some(player);
}

const BIRTHDAYS = ['1984-03-12', '1991-07-30', '1996-11-02', '1979-01-25', '2000-05-18'] as const;
const FIRST = ['Avelin', 'Bertolt', 'Corisande', 'Dorian', 'Elowen', 'Fabrice', 'Gudrun', 'Hesper'] as const;
const LAST = [
  'Abernook',
  'Brixwold',
  'Candlemoor',
  'Dunnefeld',
  'Everpine',
  'Fallowmere',
  'Greywick',
  'Hartsbane',
] as const;

/** Possible outcomes of identity verification, assigned to the players in turn. */
const COURSES = [
  'BASIC',
  'PENDING',
  'ON_HOLD',
  'APPROVED',
  'RESUBMIT',
  'REJECTED',
  'EXPIRED',
  'MANUALLY',
  'NONE',
  'APPROVED',
  'PENDING',
  'ON_HOLD',
] as const;

async function proofsOfIdentity({ random, players, staff, outside }: Today): Promise<void> {
  const some = players.filter((player) => !isRegular(player)).slice(-28);
  for (const [i, player] of [...some, ...players.filter(isRegular)].entries()) {
    const course = isRegular(player) ? 'APPROVED' : COURSES[i % COURSES.length]!;
    const stated = await player.try('POST /kyc/basic', {
      body: {
        firstName: random.pick(FIRST),
        lastName: random.pick(LAST),
        birthDate: random.pick(BIRTHDAYS),
        country: player.country,
        city: 'Springfield',
        address: `Elm Street ${random.from(1, 99)}`,
        postalCode: String(random.from(10_000, 99_999)),
      },
    });
    if (!stated || course === 'BASIC') continue;
    const session = await player.try('POST /kyc/session', { body: { tier: 'IDENTITY' } });
    if (!session || course === 'NONE') continue;
    const decide = (status: string, more: object = {}) =>
      outside('/kyc/decide', { userId: player.id, tier: 'IDENTITY', status, ...more });
    await decide('PENDING');
    if (course === 'PENDING') continue;
    if (course === 'ON_HOLD') await decide('ON_HOLD', { moderationComment: 'The photo is blurred.' });
    if (course === 'APPROVED' || course === 'EXPIRED') await decide('APPROVED');
    if (course === 'EXPIRED') await decide('EXPIRED');
    if (course === 'RESUBMIT')
      await decide('REJECTED', { rejectType: 'RETRY', clientComment: 'Please send the back side too.' });
    if (course === 'REJECTED') await decide('REJECTED', { rejectType: 'FINAL' });
    if (course === 'MANUALLY') {
      const body = { tier: 'IDENTITY', action: 'APPROVE', reason: 'Seen in a video call' } as const;
      await staff.RISK.try('PATCH /admin/kyc/{userId}', { path: { userId: player.id }, body });
    }
  }
}

const bar = (left: number, top: number, width: number, background: string) => ({
  input: { create: { width, height: 14, channels: 3 as const, background } },
  left,
  top,
});

/** Draws an image that represents a screenshot of another casino, which players attach to VIP applications. */
async function screenshot(random: Random): Promise<Blob> {
  const rows = Array.from({ length: 6 }, (_, i) => [
    bar(24, 86 + i * 34, 120 + random.from(0, 160), '#5b6472'),
    bar(430, 86 + i * 34, 50 + random.from(0, 40), '#8bd17c'),
  ]);
  const page = sharp({ create: { width: 560, height: 320, channels: 3, background: '#20242c' } });
  const png = await page
    .composite([bar(24, 30, 220, '#c9a94f'), ...rows.flat()])
    .png()
    .toBuffer();
  return new Blob([new Uint8Array(png)], { type: 'image/png' });
}

async function vipApplications({ random, players, staff }: Today): Promise<void> {
  const HOUSES = ['Palais Nord', 'Lucky Harbour', 'Old Mill Club', 'Blue Comet'] as const;
  for (const [i, player] of players.slice(0, 10).entries()) {
    const made = await player.try('POST /vip-application', {
      body: {
        platformName: random.pick(HOUSES),
        platformUsername: player.username,
        totalWageredUsd: String(random.from(20, 900) * 1000),
        rank: random.pick(['Gold', 'Platinum', 'Diamond']),
        contactMethod: random.pick(['EMAIL', 'TELEGRAM', 'DISCORD'] as const),
        contactUsername: `@${player.username}`,
        country: player.country,
        note: 'Happy to show more statements.',
      },
    });
    if (!made) continue;
    const { id } = made;
    await player.try('POST /vip-application/{id}/image', {
      path: { id },
      body: {},
      form: { image: await screenshot(random) },
    });
    if (i % 4 === 0) continue;
    await staff.SUPERADMIN.try('PATCH /admin/vip-application/{id}', {
      path: { id },
      body: { status: 'IN_REVIEW', tag: 'statements' },
    });
    if (i % 4 === 1) continue;
    const approve = i % 4 === 2;
    await staff.SUPERADMIN.try('POST /admin/vip-application/{id}/decision', {
      path: { id },
      body: {
        approve,
        reason: approve ? 'The statements fit' : 'Could not be verified',
        ...(approve ? { vipLevel: 1 } : {}),
      },
    });
  }
}

/** Makes sure that every game is played. Three players play each game, because one of them may be excluded. */
async function everyGame({ players, play, money }: Today): Promise<void> {
  const table = players.filter(({ coin }) => coin === 'USDT');
  for (const [i, game] of HOUSE_GAMES.entries())
    for (const player of table.slice(3 * i, 3 * i + 3)) {
      await money.deposit(player, { usd: 40 });
      await play.house(player, game);
    }
}

/** Places bets on speed-roulette. The worker runs the rounds, so a bet waits until a round is open. */
async function speedRoulette({ players, play }: Today): Promise<void> {
  const table = players.filter(({ coin }) => coin === 'USDT').slice(0, 24);
  let done = 0;
  for (let n = 0; n < 120 && done < Math.min(12, table.length); n++) {
    const isIn = await play.speedRoulette(table[n % table.length]!);
    if (isIn) done++;
    else await sleep(250);
  }
}

async function openDeposits({ players, money }: Today): Promise<void> {
  for (const [i, status] of (
    ['DETECTED', 'CONFIRMING', 'CONFIRMING', 'DETECTED', 'PARTIALLY_PAID'] as const
  ).entries()) {
    const player = players.at(-1 - i);
    if (player) await money.deposit(player, { status });
  }
}

/** Creates withdrawals in every state. Afterwards the provider works normally again, and pending withdrawals complete as usual. */
async function payouts(today: Today): Promise<void> {
  const { staff, outside } = today;
  await requests(today);
  const approve = async (id: string) => {
    await staff.FINANCE.try('POST /admin/payments/withdraw/approve', { body: { id } });
    await staff.RISK.try('POST /admin/payments/withdraw/approve', { body: { id } });
  };
  const { data } = await staff.FINANCE.call('GET /admin/payments/withdraw', {
    query: { status: 'WAITING_FOR_APPROVAL', take: 100 },
  });
  const waiting = data.map(({ id }) => id);
  const take = (count: number) => waiting.splice(0, Math.min(count, Math.max(0, waiting.length - 3)));
  for (const id of take(1))
    await staff.FINANCE.try('POST /admin/payments/withdraw/reject', {
      body: { id, rejectReason: 'The address belongs to an exchange to which we cannot send payouts.' },
    });
  await outside('/payments/behaviour', { payouts: 'refuse' });
  for (const id of take(2)) await approve(id);
  await sleep(1500);
  await outside('/payments/behaviour', { autoSettle: false });
  const held = take(3);
  for (const id of held) await approve(id);
  await send(outside, held[0]);
  await outside('/payments/behaviour', { autoSettle: false, payouts: 'reset', lookups: 'error-before' });
  for (const id of take(2)) await approve(id);
  await sleep(1000);
  await outside('/payments/behaviour', { payouts: 'timeout-before', lookups: 'error-before' });
  for (const id of take(9)) await approve(id);
  await outside('/payments/behaviour', {});
}

/**
 * Makes the provider broadcast a payout, which then stays unconfirmed. Retries, because the worker sends the payout to the provider only
 * shortly after the approval.
 */
async function send(outside: Today['outside'], reference: string | undefined): Promise<void> {
  for (let n = 0; reference && n < 40; n++) {
    await sleep(250);
    const said = await outside('/payments/settle', { reference, status: 'SENT' });
    if ((said as { status?: string } | undefined)?.status === 'SENT') return;
  }
}

/** Requests withdrawals. One is cancelled, and two use a new address. */
async function requests({ random, players, money, staff, finishWagering }: Today): Promise<void> {
  const holdNewAddresses = (newAddressDelayHours: number) =>
    staff.SUPERADMIN.call('PATCH /admin/config/{code}', {
      path: { code: 'WITHDRAWALS' },
      body: { newAddressDelayHours },
    });
  let made = 0;
  let isOneCancelled = false;
  for (const player of players) {
    if (made >= REQUESTS) break;
    await money.deposit(player, { usd: random.from(30, 90) });
    await finishWagering(player.id);
    if (made === REQUESTS - 2) {
      await holdNewAddresses(24);
      await sleep(SETTINGS_AGREE_MS);
    }
    if (made >= REQUESTS - 2) player.recipient = makeAddress(random, player.coin);
    const id = await money.withdraw(player, 0.6);
    if (!id) continue;
    made++;
    // A withdrawal that is already being sent cannot be cancelled, so this loop tries each withdrawal until a cancellation succeeds.
    if (isOneCancelled) continue;
    isOneCancelled = (await player.try('POST /payments/withdraw/cancel', { body: { id } })) !== undefined;
  }
  await holdNewAddresses(0);
}
