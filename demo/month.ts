import { randomUUID } from 'node:crypto';
import { makeAddress } from './addresses.ts';
import { affiliatesMonth } from './affiliates.ts';
import type { createMoney } from './money.ts';
import type { Person } from './names.ts';
import type { Offers } from './offers.ts';
import { type createPlay, HOUSE_GAMES } from './play.ts';
import type { Player } from './player.ts';
import type { Random } from './random.ts';
import { chaptersOf, isRegular, paintAvatar } from './regular.ts';
import { makePassword, type Staff } from './staff.ts';
import { refusals, type Visitor } from './visitors.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Messages for the chat. */
const LINES = [
  'gl everybody',
  'anyone on plinko tonight?',
  'that 16 row drop was close',
  'first withdrawal came through, nice',
  'what a streak',
  'hello from the train',
  'how does the weekly race count?',
  'wager counts, not wins',
  'ty',
  'seven orchards is kind today',
  'gg',
  'mines with 3 bombs, never again',
  'who is leading the race?',
  'limbo x10!!',
  'checked my bet on /verify, adds up',
  'good night all',
  'blackjack or keno?',
  'keno for me',
  'lunch break spins',
  'congrats!',
  'is the faq in german too?',
  'nice tip, thank you',
] as const;

/** An event of the simulation with its time. */
export type Happening = { at: number; what: () => Promise<unknown> };
type Chat = (message: {
  userId: number;
  ip: string;
  room: string;
  text: string;
  key: string;
}) => Promise<unknown>;
export type World = {
  random: Random;
  people: readonly Person[];
  visitor: (who: Person) => Visitor;
  play: ReturnType<typeof createPlay>;
  money: ReturnType<typeof createMoney>;
  staff: Staff;
  offers: Offers;
  chat: Chat;
  verifyEmail: (userId: number) => Promise<void>;
  captcha: string;
  /** The password of the player whose credentials are printed. */
  password: string;
  from: number;
  to: number;
};

/** Returns all events in order. Players are added to `players` as they sign up. */
export function planMonth(world: World): { happenings: Happening[]; players: Player[] } {
  const players: Player[] = [];
  const happenings = [
    ...world.people.flatMap((person, i) => lifeOf(world, players, person, i)),
    ...officeHours(world, players),
    ...affiliatesMonth(() => players.filter(({ username }) => codesOf.has(username)), {
      staff: world.staff,
      at: (share) => world.from + share * (world.to - world.from),
    }),
    ...chaptersOf(() => players.find(isRegular), {
      staff: world.staff,
      other: () =>
        players.find((player) => !isRegular(player) && player.isVerified && player.coin === 'USDT'),
    }).map(({ share, what }) => ({ at: world.from + share * (world.to - world.from), what })),
  ];
  return { happenings: happenings.sort((a, b) => a.at - b.at), players };
}

/** Returns a random time of day. Evenings are busier than mornings. */
function timeOfDay(random: Random): number {
  const hour = random.chance(0.62) ? 15 + random.next() * 8.5 : random.next() * 24;
  return hour * HOUR;
}

function lifeOf(world: World, players: Player[], person: Person, i: number): Happening[] {
  const { random, from, to } = world;
  const span = to - from;
  // A few players join at the start, and more join during the month.
  const joined = isRegular(person)
    ? from + 600_000
    : i < world.people.length * 0.12
      ? from + random.next() * Math.min(DAY, span / 6)
      : from + Math.sqrt(random.next()) * span * 0.97;
  let player: Player | undefined;
  const happenings: Happening[] = [
    { at: joined, what: async () => (player = await signUp(world, players, person, i)) },
  ];
  const keenness = isRegular(person) ? 0.97 : random.chance(0.15) ? 0.55 : random.chance(0.4) ? 0.22 : 0.08;
  const days = Math.ceil((to - joined) / DAY);
  for (let day = 0; day <= days; day++) {
    const isFirst = day === 0;
    if (!isFirst && !random.chance(keenness)) continue;
    const midnight = Math.floor((joined + day * DAY) / DAY) * DAY;
    const at = isFirst ? joined + random.from(4, 30) * 60_000 : midnight + timeOfDay(random);
    if (at <= joined || at >= to) continue;
    happenings.push({ at, what: async () => player && visit(world, player, isFirst) });
  }
  return happenings;
}

const CODES = ['aurora', 'lowlands', 'nightshift', 'tresdados', 'kiefer', 'sambaclub'] as const;

async function signUp(world: World, players: Player[], person: Person, i: number): Promise<Player> {
  const { random, visitor, verifyEmail, captcha, password } = world;
  const one = visitor(person);
  const isAffiliate = i < CODES.length;
  const followed = !isAffiliate && random.chance(0.3) ? random.pick(CODES) : undefined;
  // The first player after the affiliates follows the player whose credentials are printed.
  const code = i === CODES.length ? CODES[0] : followed;
  const coin = isRegular(person) || random.chance(0.86) ? 'USDT' : 'BTC';
  const usual = random.chance(0.06) ? random.around(700) : random.around(random.chance(0.3) ? 180 : 55);
  const budget = isRegular(person) ? 120 : usual;
  const favourites = [random.pick(HOUSE_GAMES), random.pick(HOUSE_GAMES)];
  const [recipient, isVerified] = [makeAddress(random, coin), isRegular(person) || random.chance(0.8)];
  const known = code !== undefined && players.some(({ username }) => codesOf.get(username) === code);
  const { username, email, language } = person;
  const { accessToken } = await one.call(
    'POST /auth/sign-up',
    {
      body: {
        username,
        email,
        password: isRegular(person) ? password : makePassword(),
        language,
        ...(known ? { affiliateCode: code } : {}),
      },
    },
    captcha,
  );
  one.use(accessToken.token);
  const { id } = await one.call('GET /user/me', {});
  const player: Player = {
    ...person,
    ...one,
    id,
    coin,
    budget,
    cash: 0,
    payAddress: undefined,
    recipient,
    favourites,
    isVerified,
  };
  if (isVerified || isAffiliate) await verifyEmail(id);
  if (isAffiliate) {
    const made = await one.try('POST /affiliate/code', { body: { id: CODES[i]! } });
    if (made) codesOf.set(username, made.id);
  }
  if (i % 3 === 1) await paintAvatar(player);
  players.push(player);
  return player;
}
/** Affiliate codes by username. */
const codesOf = new Map<string, string>();

/** Simulates a playing session of about an hour. */
async function visit(
  { random, play, money, chat, offers }: World,
  player: Player,
  isFirst: boolean,
): Promise<void> {
  if (isFirst && random.chance(0.18) && !isRegular(player)) return;
  if (isFirst && player.coin === 'USDT' && (random.chance(0.14) || isRegular(player)))
    await player.try('POST /promo/redeem', { body: { code: 'STARTER10' } });
  if (isFirst ? random.chance(0.92) : random.chance(0.45)) {
    // The regular player claims this promotion at the end, so that the bonus is still being wagered.
    if (!isFirst && player.coin === 'USDT' && random.chance(0.05) && !isRegular(player))
      await player.try('POST /promo/redeem', { body: { promoId: offers.promos.deposit } });
    await deposit({ random, money }, player);
  }
  for (let n = random.from(2, 5); n > 0; n--) await play.some(player);
  if (player.isVerified && random.chance(0.08)) {
    const said = {
      userId: player.id,
      ip: player.ip,
      room: 'chat:general',
      text: random.pick(LINES),
      key: randomUUID(),
    };
    await chat(said).catch(() => refusals.set('chat', (refusals.get('chat') ?? 0) + 1));
  }
  if (random.chance(0.1)) await player.try('POST /rakeback/claim', { body: { period: 'instant' } });
  if (!isFirst && random.chance(0.4)) {
    const id = await money.withdraw(player);
    if (id && random.chance(0.06)) await player.try('POST /payments/withdraw/cancel', { body: { id } });
  }
}

async function deposit({ random, money }: Pick<World, 'random' | 'money'>, player: Player): Promise<void> {
  const fate = random.next();
  if (fate < 0.02) await money.deposit(player, { status: 'EXPIRED' });
  else if (fate < 0.035) await money.deposit(player, { status: 'FAILED' });
  else if (fate < 0.045) await money.deposit(player, { status: 'PARTIALLY_PAID' });
  await money.deposit(player);
  if (fate > 0.995) await money.deposit(player, { status: 'REVERSED', usd: 15 });
}

/** Schedules the work of staff members, who review withdrawals twice a day and sometimes add notes, limits and bans. */
function officeHours({ random, staff, offers, from, to }: World, players: readonly Player[]): Happening[] {
  const happenings: Happening[] = [];
  const now = (share: number) => from + (to - from) * share;
  for (let day = Math.floor(from / DAY); day * DAY < to; day++)
    for (const hour of [9.5, 15.2])
      if (day * DAY + hour * HOUR < to - 1.3 * DAY)
        happenings.push({ at: day * DAY + hour * HOUR, what: () => reviewWithdrawals(staff, random) });
  // The player whose credentials are printed must stay active until the end of the month, so bans, exclusions and blocks are not applied to
  // this player.
  const someone = () => {
    const others = players.filter((player) => !isRegular(player));
    return others.length > 0 ? random.pick(others) : undefined;
  };
  // Prizes of banned and excluded players cannot be paid, so players with small budgets are chosen, who seldom win one.
  const someoneSmall = () => {
    const others = players.filter((player) => !isRegular(player)).sort((a, b) => a.budget - b.budget);
    return others.length > 0 ? random.pick(others.slice(0, Math.ceil(others.length / 3))) : undefined;
  };
  const often = (
    count: number,
    since: number,
    what: (player: Player, n: number) => Promise<unknown>,
    whom = someone,
  ) => {
    for (let n = 0; n < count; n++)
      happenings.push({
        at: now(since + random.next() * (0.98 - since)),
        what: async () => {
          const player = whom();
          return player && what(player, n);
        },
      });
  };
  const NOTES = [
    ['Wrote to support about a late deposit; explained confirmations.', 'NONE'],
    ['Plays from two countries within an hour, says they travel.', 'LOW'],
    ['Same recipient address as another account. Watch.', 'MEDIUM'],
    ['Chargeback at a partner, documents requested.', 'HIGH'],
    ['Friendly, asked for a VIP contact.', 'NONE'],
  ] as const;
  often(10, 0.2, ({ id }, n) => {
    const [note, riskLevel] = NOTES[n % NOTES.length]!;
    return staff.SUPPORT.try('POST /admin/user-notes', { body: { userId: id, note, riskLevel } });
  });
  often(6, 0.3, ({ id }) =>
    staff.SUPERADMIN.try('POST /admin/admin-tips', {
      body: {
        recipientUserId: id,
        currencyId: 'USDT',
        amount: String(random.pick([5, 10, 20])),
        notes: 'Goodwill after an outage',
        tag: 'support',
      },
    }),
  );
  often(12, 0.15, (player) => {
    const other = random.pick(players);
    const amount = String(random.from(2, 12));
    return player.try('POST /user-tips', {
      body: { recipientUsername: other.username, currencyId: 'USDT', amount, isPublic: random.chance(0.6) },
    });
  });
  often(10, 0.1, (player) =>
    player.try('POST /user-limits/gambling-limits', {
      body: {
        type: random.pick(['DEPOSIT', 'WAGER', 'LOSS'] as const),
        period: random.pick(['DAY', 'WEEK', 'MONTH'] as const),
        amount: String(random.pick([200, 500, 2000])),
      },
    }),
  );
  often(
    3,
    0.5,
    (player) =>
      player.try('POST /user-limits/self-exclusion', { body: { durationDays: random.pick([7, 30, 180]) } }),
    someoneSmall,
  );
  const banReason = 'Several accounts';
  const ban = ({ id }: Player) =>
    staff.RISK.try('PATCH /admin/user/{id}/ban', { path: { id }, body: { banReason } });
  often(2, 0.6, ban, someoneSmall);
  often(2, 0.6, ({ id }) =>
    staff.RISK.try('POST /admin/withdrawals-block/{userId}', {
      path: { userId: id },
      body: {
        reason: 'Waiting for proof of address',
        reasonPublic: 'We are waiting for one of your documents.',
      },
    }),
  );
  happenings.push({
    at: now(0.7),
    what: () =>
      staff.SUPERADMIN.try('POST /admin/promo/{id}/grant', {
        path: { id: offers.promos.manual },
        body: { userIds: players.slice(0, 8).map(({ id }) => id), reason: 'Thank you for the first weeks' },
      }),
  });
  return happenings;
}

/** Approves most withdrawals. Large withdrawals need two approvers. */
async function reviewWithdrawals(staff: Staff, random: Random): Promise<void> {
  for (const status of ['WAITING_FOR_APPROVAL', 'ON_HOLD'] as const) {
    const { data } = await staff.FINANCE.call('GET /admin/payments/withdraw', {
      query: { status, take: 50 },
    });
    for (const { id } of data) {
      if (random.chance(0.07)) {
        const rejectReason = random.pick([
          'The address belongs to an exchange to which we cannot send payouts.',
          'Please verify your identity first.',
        ]);
        await staff.FINANCE.try('POST /admin/payments/withdraw/reject', { body: { id, rejectReason } });
        continue;
      }
      if (random.chance(0.1)) continue;
      await staff.FINANCE.try('POST /admin/payments/withdraw/approve', { body: { id } });
      if (random.chance(0.9)) await staff.RISK.try('POST /admin/payments/withdraw/approve', { body: { id } });
    }
  }
}
