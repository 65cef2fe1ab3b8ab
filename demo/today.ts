import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { createMoney } from './money.ts';
import type { Offers } from './offers.ts';
import { payWinners } from './offers.ts';
import type { createPlay, Outside } from './play.ts';
import type { Player } from './player.ts';
import type { Random } from './random.ts';
import type { Staff } from './staff.ts';

type Today = {
  random: Random;
  players: readonly Player[];
  staff: Staff;
  offers: Offers;
  play: ReturnType<typeof createPlay>;
  money: ReturnType<typeof createMoney>;
  outside: Outside;
};

/** What is under way while somebody looks: in real time, with the sandbox as everybody outside. */
export async function liveToday(today: Today): Promise<void> {
  await Promise.all([
    proofsOfIdentity(today),
    vipApplications(today),
    speedRoulette(today),
    openDeposits(today),
  ]);
  await payWinners(today.staff, today.offers);
  await payouts(today);
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

/** One after the other, each a different course. */
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
  const most = Math.min(players.length, 28);
  for (const [i, player] of players.slice(-most).entries()) {
    const course = COURSES[i % COURSES.length]!;
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

/** A picture as players attach one: a page of another house, drawn. */
async function screenshot(random: Random): Promise<Blob> {
  const rows = Array.from({ length: 6 }, (_, i) => {
    const width = 120 + random.from(0, 160);
    return `<rect x="24" y="${86 + i * 34}" width="${width}" height="14" rx="4" fill="#5b6472"/><rect x="430" y="${86 + i * 34}" width="${50 + random.from(0, 40)}" height="14" rx="4" fill="#8bd17c"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="560" height="320"><rect width="560" height="320" fill="#20242c"/><rect x="24" y="24" width="220" height="30" rx="6" fill="#c9a94f"/>${rows.join('')}</svg>`;
  return new Blob([new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer())], { type: 'image/png' });
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
        ...(approve ? { vipLevel: 2 } : {}),
      },
    });
  }
}

/** Its rounds are those of the worker: whoever bets waits until one is open. */
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

/**
 * Withdrawals of every state at one moment. The provider is well again a moment later, and what is under way then ends by itself, as it would
 * anywhere.
 */
async function payouts({ players, money, staff, outside }: Today): Promise<void> {
  const asked: string[] = [];
  const wanted = 24;
  for (const player of players) {
    if (asked.length >= wanted) break;
    const id = await money.withdraw(player, 0.5);
    if (id) asked.push(id);
  }
  const approve = async (id: string) => {
    await staff.FINANCE.try('POST /admin/payments/withdraw/approve', { body: { id } });
    await staff.RISK.try('POST /admin/payments/withdraw/approve', { body: { id } });
  };
  const { data } = await staff.FINANCE.call('GET /admin/payments/withdraw', {
    query: { status: 'WAITING_FOR_APPROVAL', take: 100 },
  });
  const waiting = data.map(({ id }) => id);
  const take = (count: number) => waiting.splice(0, Math.min(count, Math.max(0, waiting.length - 3)));
  const until = async (ids: readonly string[], isThere: (status: string) => boolean) => {
    for (const end = Date.now() + 8000; Date.now() < end; await sleep(150)) {
      const found = await Promise.all(
        ids.map((id) =>
          staff.FINANCE.call('GET /admin/payments/withdraw/fetch/{id}', { path: { id } }).catch(
            () => undefined,
          ),
        ),
      );
      if (found.every((one) => one === undefined || isThere(one.status))) return;
    }
  };
  await outside('/payments/behaviour', { payouts: 'refuse' });
  const failed = take(2);
  for (const id of failed) await approve(id);
  await sleep(1500);
  void until;
  await outside('/payments/behaviour', { autoSettle: false });
  for (const id of take(3)) await approve(id);
  await sleep(1000);
  await outside('/payments/behaviour', { autoSettle: false, payouts: 'reset', lookups: 'error-before' });
  for (const id of take(2)) await approve(id);
  await sleep(1000);
  await outside('/payments/behaviour', { payouts: 'timeout-before', lookups: 'error-before' });
  for (const id of take(9)) await approve(id);
  await outside('/payments/behaviour', {});
}
