import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, betOnDice, type Player } from './kit/app.ts';
import { botsOf, fromNow } from './kit/engagement/bots.ts';
import { APPLICATION } from './kit/engagement/vip.ts';
import { rouletteBodies } from './kit/games/house.ts';
import { beginRounds, endRounds, isOnRound } from './kit/games/house-rounds.ts';
import { PARTNER_CODE } from './kit/games/partner.ts';
import { dialectOf, isDone, isMalformed, isPartnerReport } from './kit/games/supplier-calls.ts';
import { supplierRules } from './kit/games/supplier-rules.ts';
import { anyText, type Request, type Rules, urlOf, validOf, validRequest } from './kit/http/arbitrary.ts';
import { committedDocument, misfits, type Operation, operationsOf, type Schema } from './kit/http/openapi.ts';
import {
  type Caller,
  EXPECTED_WARNINGS,
  HOUSE_SETTINGS,
  inDays,
  RECIPIENT,
  RULES,
  signInAgain,
  startCaller,
  typeOf,
} from './kit/http/requests.ts';
import { times } from './kit/length.ts';
import { watchLoop } from './kit/loop.ts';
import { type Broken, brokenRequest, MALFORMED } from './kit/processes/broken.ts';

/** FUZZ_SEED sets another seed, or `random`. */
const { FUZZ_SEED = '20261122' } = process.env;
const SEED = FUZZ_SEED === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);
/** Number of requests of one kind (valid or broken) for all operations together. With more operations, each one gets fewer requests. */
const BUDGET = process.env.CI ? 6000 : 3000;
/**
 * If fewer requests are sent to an operation, all of them may contain ids of unknown objects. CI never sends fewer, because each operation
 * must succeed at least once.
 */
const HANDFUL = 20;
const LEAST = process.env.CI ? HANDFUL : 1;
/** Number of additional runs for operations for which no random request succeeded. */
const MORE_RUNS = 300;
const TIMEOUT_MS = 120_000;
const CODE_TO_DELETE = 'ends-soon';

const operations = operationsOf(committedDocument('main'));
/** Number of requests of one kind for each operation. */
const RUNS = times('FUZZ_RUNS', Math.max(LEAST, Math.floor(BUDGET / operations.length)), 200);
let caller: Caller;
let known: {
  betIds: string[];
  sessionIds: string[];
  skinDepositId: string;
  depositId: string;
  withdrawalId: string;
  account: { email: string; password: string };
  other: Player;
  streamer: Player;
  /** Two applications for a VIP level, one open and one decided. */
  applications: { open: string; decided: string };
  leaderboards: { open: number; cancelled: number };
  bot: { id: number; activityId: string };
  /** Two unassigned roles: one to change and one to delete. */
  roles: { changed: string; deleted: string };
  /** Users whom staff edit, ban and pay. No other test needs these users. */
  subject: Player;
};
let loop: ReturnType<typeof watchLoop>;

beforeAll(async () => {
  console.log(`contract fuzz: FUZZ_SEED=${SEED}`);
  caller = await startCaller();
  const bets = await Promise.all([betOnDice(caller.player), betOnDice(caller.player)]);
  await caller.player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '1000' } });
  const account = { email: 'known@fuzz.example', password: 'a good password' };
  await caller.app.call('POST', '/debug/user/create', { body: account });
  const other = await caller.app.newPlayer();
  const subject = await caller.app.newPlayer();
  await Promise.all([1, 2, 3].map(() => signInAgain(caller.app, caller.player)));
  const { body: sessions } = await caller.player.call<{ id: string; current: boolean }[]>('GET', '/session');
  const sessionIds = sessions.filter(({ current }) => !current).map(({ id }) => id);
  const selling = await caller.player.call('POST', '/payments/skins/deposit', {
    body: { currencyId: 'USDT', game: 'cs2' },
  });
  const skinDepositId = selling.body.depositId as string;
  const paid = await caller.app.call('POST', `/debug/deposit/emulate-success/${other.id}`);
  const order = { currencyId: 'USDT', networkId: 'tron', amount: '1', recipientAddress: RECIPIENT };
  const asked = await caller.player.call('POST', '/payments/withdraw', { body: order });
  const ids = { depositId: paid.body.id as string, withdrawalId: asked.body.id as string };
  const streamer = await caller.app.newPlayer();
  const users = caller.app.db.updateTable('users').set({ is_streamer: true });
  await users.where('id', '=', streamer.id).execute();
  await streamer.call('POST', '/affiliate/code', { body: { id: CODE_TO_DELETE } });
  const [open, decided] = await Promise.all([applicationId(), applicationId()]);
  const leaderboards = { open: await newRun('ACTIVE'), cancelled: await newRun('CANCELLED', other.id) };
  const bot = await newBot();
  const roles = { changed: 'FUZZ_CHANGED', deleted: 'FUZZ_DELETED' };
  for (const name of Object.values(roles))
    await caller.app.db.insertInto('roles').values({ name, permissions: [] }).execute();
  known = {
    ...ids,
    bot,
    roles,
    streamer,
    applications: { open, decided },
    leaderboards,
    skinDepositId,
    account,
    other,
    subject,
    sessionIds,
    betIds: bets.map(({ body }) => body.betId),
  };
  loop = watchLoop();
});
afterAll(() => caller.stop());

async function applicationId(): Promise<string> {
  const { call } = await caller.app.newPlayer();
  return (await call('POST', '/vip-application', { body: APPLICATION })).body.id;
}

/** Creates a bot that may play, and the schedule by which it plays. */
async function newBot(): Promise<{ id: number; activityId: string }> {
  const bots = botsOf(caller.app, await caller.app.as('superadmin'));
  const { id } = await bots.newBot();
  return { id, activityId: (await bots.manage({ ...fromNow({ isActive: false }), userId: id })).body.id };
}

/** Creates a leaderboard, with one participant if `userId` is given. */
async function newRun(status: string, userId?: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into leaderboards (type, status, name, description, currency_id, min_bet_usd, prizes, categories, provider_ids, game_slugs,
      moves_prizes_up, start_date, end_date, generation, participants)
    values ('SPECIAL', ${status}, 'A race', '', 'USDT', 0, '[]', '{}', '{}', '{}', false, now(), now() + interval '1 day', 0,
      ${userId === undefined ? 0 : 1}) returning id`.execute(caller.app.db);
  const { id } = rows[0]!;
  if (userId !== undefined) {
    const whose = { leaderboard_id: id, user_id: userId };
    await caller.app.db
      .insertInto('leaderboard_bets')
      .values({ ...whose, place: 1n, bet_id: 1n, usd: 7n })
      .execute();
    await caller.app.db
      .insertInto('leaderboard_scores')
      .values({ ...whose, score: '7', reached_place: 1n })
      .execute();
  }
  return id;
}

/** Returns a different seed for each operation, so that no two operations use the same idempotency keys. */
const seedOf = ({ name }: Operation): number =>
  (SEED ^ createHash('sha256').update(name).digest().readInt32BE()) | 0;

/** Operations with a password get fewer runs, because hashing it takes 25 ms of processor time by design. */
function runsOf({ captcha, body }: Operation): number {
  if (captcha) return Math.ceil(RUNS / 10);
  const takesPassword = Object.keys(body?.properties ?? {}).some((name) => /password$/i.test(name));
  return takesPassword ? Math.ceil(RUNS / 3) : RUNS;
}

/** Amounts are small, because the money of the test users must be enough for all requests. */
const change = fc.integer({ min: 1, max: 100 }).map((cents) => String(cents / 100));

/** Generates some settings of some games. */
const settingsOf = () =>
  fc.record(
    Object.fromEntries(
      Object.entries(HOUSE_SETTINGS).map(([game, fields]) => [
        game,
        fc.record(Object.fromEntries(Object.entries(fields).map(([n, value]) => [n, fc.constant(value)])), {
          requiredKeys: [],
        }),
      ]),
    ),
    { requiredKeys: [] },
  );

/** Returns rules that generate ids of existing and of unknown objects, so that successful responses are tested too. */
function rulesOf({ name, path, body }: Operation): Rules {
  const currencyId = fc.constantFrom('USDT', 'USDT', 'BTC', 'EUR', 'NONE', '🎲', 'usdt');
  const userId = fc.oneof(
    fc.constantFrom(known.other.id, caller.player.id),
    fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  );
  const betId = fc.oneof(fc.constantFrom(...known.betIds), anyText(1, 64));
  const anyName = fc.stringMatching(/^[A-Z][a-z]{1,20}$/);
  const amount = body?.properties?.amount;
  const rules = {
    ...RULES,
    ...(amount?.type === 'string' ? { 'body.amount': fc.oneof(change, validOf(amount, 'amount')) } : {}),
    // Amounts of blockchain reports must be small enough to be stored. Otherwise they are malformed.
    ...(/^POST \/(webhooks|debug\/deposit)\//.test(name)
      ? { 'body.amount': change, 'body.networkFee': change }
      : {}),
    ...(name.startsWith('POST /webhooks/') ? { 'path.provider': fc.constant('sandbox') } : {}),
    'query.debug_token': fc.oneof(fc.constant('test-debug-token'), fc.string()),
    'body.currencyId': currencyId,
    'body.balances[].currencyId': currencyId,
    'path.currencyId': currencyId,
    'query.currencyId': currencyId,
    'path.username': fc.oneof(fc.constant(known.other.username), fc.stringMatching(/^[a-z]{3,20}$/)),
    'path.betId': betId,
    'path.userId': userId,
    'body.userId': userId,
    // The message and the tag of a tip must be one line of text.
    ...(/tips/.test(path) ? { 'body.message': anyName, 'body.tag': anyName } : {}),
    'body.recipientUserId': userId,
    'body.recipientUsername': fc.oneof(fc.constant(caller.player.username), anyText(1, 64)),
  };
  const dialect = dialectOf({ path });
  if (dialect) return supplierRules({ body: body!, dialect, path });
  if (name === 'POST /casino/games/{slug}/launch')
    return {
      ...rules,
      'path.slug': fc.oneof(fc.constantFrom('sandbox-game', 'sandbox-hub88-game'), anyText(1, 64)),
    };
  const isOfCatalogue = / \/((admin|public)\/)?(casino\/games|covers)\/(?!house\/|bulk$)/.test(name);
  if (isOfCatalogue && !/\/rtp$|^POST .*\/images$/.test(name)) return { ...rules, ...catalogueRules(path) };
  if (/^GET \/admin\/payments\/.*\{id\}$/.test(name))
    return { ...rules, 'path.id': fc.oneof(fc.constantFrom(known.depositId, known.withdrawalId), fc.uuid()) };
  if (name === 'GET /payments/skins/deposit/{id}')
    return { ...rules, 'path.id': fc.oneof(fc.constant(known.skinDepositId), fc.uuid()) };
  if (name === 'POST /webhooks/skins/{provider}')
    return { ...rules, 'body.usdAmount': change, 'body.items[].priceUsd': change };
  if (name === 'DELETE /session/{id}')
    return { ...rules, 'path.id': fc.oneof(fc.constantFrom(...known.sessionIds), anyText(1, 64)) };
  // Bans and unbans run concurrently and reverse each other, but at least one of each kind must succeed.
  const subjectId = fc.oneof(
    { weight: 5, arbitrary: fc.constant(known.subject.id) },
    fc.integer({ min: 1_000_000, max: 2 ** 31 - 1 }),
  );
  if (/\/admin\/users?\/\{id\}/.test(name)) return { ...rules, 'path.id': subjectId };
  if (/(add|revoke)-single-role$/.test(name)) return { ...rules, body: roleOf(known.subject.username) };
  if (name === 'POST /admin/casino/games/bulk')
    return { ...rules, body: fc.record({ slugs: RULES['body.slugs']!, enabled: fc.boolean() }) };
  // One of these two optional fields is required.
  if (name === 'PATCH /admin/user-notes')
    return { ...rules, body: validOf({ ...body!, required: ['id', 'note'] }, 'body', rules) };
  if (name === 'POST /user-limits/self-exclusion') return { ...rules, body: exclusionOf(body!) };
  if (name.includes('/admin/user-limits/'))
    return { ...rules, 'path.id': subjectId, 'body.userId': subjectId };
  if (/^POST .*\/affiliate\/code$/.test(name))
    return { ...rules, 'body.id': fc.stringMatching(/^[A-Za-z0-9_-]{3,20}$/), 'body.userId': subjectId };
  if (name === 'DELETE /admin/affiliate/code') {
    const id = fc.oneof(fc.constant(CODE_TO_DELETE), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/));
    return { ...rules, 'body.id': id };
  }
  if (/\/affiliate\/find-one/.test(name)) return { ...rules, 'body.where': ownerOf(body!, rules) };
  if (name === 'GET /admin/affiliate/streamer/{id}')
    return { ...rules, 'path.id': fc.oneof(fc.constant(known.streamer.id), userId) };
  if (name.includes('/admin/vip-application/{id}')) return { ...rules, ...applicationRules(name, body) };
  if (name.includes(' /admin/roles')) return { ...rules, ...roleRules(name) };
  if (name.includes('/bot-activity/')) return { ...rules, ...botRules(name) };
  if (name === 'POST /admin/chat/admin-action') return { ...rules, body: chatActionOf(subjectId) };
  if (name.includes('/leaderboards')) return { ...rules, ...leaderboardRules(name) };
  if (name.includes('/admin/challenge')) return { ...rules, ...challengeRules() };
  if (name === 'GET /external/affiliates') return { ...rules, ...reportRules() };
  // Keys are created and deleted only for other users, so that the partner's key remains valid.
  if (name.includes('/admin/api-keys')) {
    const owner = fc.oneof(fc.constant(known.other.id), fc.integer({ min: 1_000_000, max: 2 ** 31 - 1 }));
    return { ...rules, 'path.userId': owner, 'body.userId': owner };
  }
  if (name === 'PATCH /admin/kyc/{userId}') return { ...rules, body: decisionOf(body!) };
  if (name === 'POST /admin/promo/{id}/codes') return { ...rules, body: codesOf(body!) };
  // The amount is optional, but required if a currency is given.
  if (name === 'POST /admin/promo/{id}/grant')
    return {
      ...rules,
      body: validOf({ ...body!, required: ['userIds', 'reason', 'amount'] }, 'body', rules),
    };
  if (name.startsWith('POST /marketing/bonus/credit'))
    return { ...rules, ...creditRules(name, body!, rules) };
  // Only `debug.echo` responds to such requests, and it responds in time.
  if (name === 'POST /send-message')
    return {
      ...rules,
      'body.pattern': fc.constantFrom('debug.echo', 'debug.nobody'),
      'body.timeoutMs': fc.constant(8000),
    };
  if (name === 'POST /debug/user/action') return { ...rules, body: actionOn(subjectId) };
  if (name.endsWith('/house/roulette/bet')) return { ...rules, body: rouletteBodies(currencyId) };
  if (name.endsWith('/house/roulette/series'))
    return {
      ...rules,
      body: fc
        .tuple(rouletteBodies(currencyId), fc.integer({ min: 1, max: 5 }))
        .map(([bet, count]) => ({ ...(bet as object), count })),
    };
  // These settings do not disable or change the games that other operations use.
  if (name.endsWith('/house/settings')) return { ...rules, body: settingsOf() };
  if (name.endsWith('/kill-switch')) return { ...rules, 'body.enabled': fc.constant(false) };
  if (name === 'GET /admin/casino/games/{slug}/rtp')
    return {
      ...rules,
      'path.slug': fc.oneof(fc.constantFrom(...Object.keys(HOUSE_SETTINGS)), anyText(1, 64)),
      'query.startDate': fc.constant('2026-01-01T00:00:00.000Z'),
      'query.endDate': fc.constantFrom('2026-02-01T00:00:00.000Z', '2026-03-01T10:30:00.000Z'),
    };
  if (name !== 'POST /auth/sign-in') return rules;
  return {
    ...rules,
    body: fc.oneof(fc.constant(known.account), validOf({ ...body!, nullable: false }, 'input')),
  };
}

/** The CRM sends user ids as text. A currency requires an amount. */
function creditRules(name: string, body: Schema, rules: Rules): Rules {
  const own = {
    ...rules,
    'body.user_id': fc.constantFrom('1', String(known.other.id), '2147483647'),
    'body.currency': fc.constant('USDT'),
  };
  if (name.endsWith('/funds')) return own;
  return { ...own, body: validOf({ ...body, required: ['user_id', 'bonus_code', 'amount'] }, 'body', own) };
}

/** Catalogue entries that no other operation uses, because staff may disable them. */
function catalogueRules(path: string): Record<string, fc.Arbitrary<unknown>> {
  const games = ['sandbox-softswiss-game', 'sandbox-pragmatic-game'];
  const known = path.includes('/providers/') ? ['sportsbook'] : games;
  // The path `/covers/{slug}.svg` matches no slug that contains a line break.
  const other = path.startsWith('/covers/') ? fc.stringMatching(/^[a-z]{3,20}$/) : anyText(1, 64);
  const slug = fc.oneof(fc.constantFrom(...known), other);
  const slugs = fc.subarray(games, { minLength: 1 });
  return {
    'path.slug': slug,
    'query.slug': slug,
    ...(path.endsWith('/main') && {
      body: fc.record({ category: fc.constantFrom('SLOTS', 'NEW_RELEASES'), slugs }),
    }),
  };
}

/** Most requests name an existing role and its first version. Permissions exist, because unknown ones are rejected. */
function roleRules(name: string): Rules {
  const other = fc.stringMatching(/^[A-Z][A-Z0-9_]{1,31}$/);
  const some = fc.oneof(fc.constant(known.roles[name.startsWith('DELETE') ? 'deleted' : 'changed']), other);
  const words = fc.stringMatching(/^[A-Z][a-z]{1,20}$/);
  return {
    'path.name': some,
    'body.name': other,
    'body.title': words,
    'body.description': words,
    'body.reason': words,
    'body.permissions': fc.subarray(['user.read', 'bet.read', 'faq.write']),
    'body.version': fc.constantFrom(1, 1, 2, 7),
  };
}

const roleOf = (username: string) =>
  fc.record({
    username: fc.oneof(fc.constant(username), fc.stringMatching(/^[a-z]{3,20}$/)),
    role: fc.constantFrom('SUPPORT', 'RISK', 'SUPERADMIN', 'NONE'),
  });

/** Generates one code for everyone, or a request for a number of single-use codes. */
const codesOf = ({ properties = {} }: Schema) => {
  const { code, maxUses } = properties;
  const one = {
    kind: fc.constant('UNIVERSAL'),
    code: validOf(code!, 'code'),
    maxUses: validOf(maxUses!, 'maxUses'),
  };
  const many = { kind: fc.constant('ONE_TIME'), count: fc.integer({ min: 1, max: 20 }) };
  return fc.oneof(fc.record(one, { requiredKeys: ['kind'] }), fc.record(many, { requiredKeys: ['kind'] }));
};

/** Generates the field that identifies an affiliate. A request must contain exactly one such field. */
const ownerOf = (body: Schema, rules: Rules) => {
  const { userId, username, code } = body.properties!.where!.properties!;
  return fc.oneof(
    fc.record({ userId: validOf(userId!, 'body.userId', rules) }),
    fc.record({ username: fc.oneof(rules['path.username']!, validOf(username!, 'username')) }),
    fc.record({ code: fc.oneof(fc.constant(PARTNER_CODE), validOf(code!, 'code')) }),
  );
};

/** A change must contain a field, and an approval must grant an existing level. */
function applicationRules(name: string, body: Schema | undefined): Rules {
  const isDecision = name.endsWith('/decision');
  const id = known.applications[isDecision ? 'decided' : 'open'];
  const rules = {
    ...RULES,
    'body.assigneeId': fc.constant(null),
    'body.vipLevel': fc.integer({ min: 0, max: 5 }),
  };
  const required = isDecision ? ['approve', 'reason', 'vipLevel'] : ['tag'];
  return {
    'path.id': fc.oneof(fc.constant(id), fc.uuid()),
    ...(body ? { body: validOf({ ...body, required }, 'body', rules) } : {}),
  };
}

/** Rules that keep the bot a bot and let it play only existing games. */
function botRules(name: string): Rules {
  const isToggle = name.endsWith('/bot-toggle');
  return {
    'path.id': fc.oneof(fc.constant(known.bot.activityId), fc.uuid()),
    'body.userId': fc.oneof(fc.constant(known.bot.id), fc.integer({ min: 1_000_000, max: 2 ** 31 - 1 })),
    'body.type': fc.constantFrom('HOUSE_GAME', 'MIXED'),
    'body.games': fc.constant(['dice']),
    'body.isActive': fc.constant(false),
    ...(isToggle ? { 'body.isBot': fc.constant(true) } : {}),
  };
}

/** Generates chat actions, each with its own arguments. */
function chatActionOf(userId: fc.Arbitrary<number>): fc.Arbitrary<object> {
  const args: Record<string, fc.Arbitrary<object>> = {
    MUTE_USER: fc.record({ userId, seconds: fc.integer({ min: 1, max: 3600 }) }),
    UNMUTE_USER: fc.record({ userId }),
    DELETE_MESSAGE: fc.record({ messageId: fc.integer({ min: 1, max: 10 ** 9 }).map(String) }),
    CLEAR_ROOM: fc.record({ roomId: fc.constantFrom('en', 'de') }),
    SET_SLOW_MODE: fc.record({ roomId: fc.constant('en'), seconds: fc.integer({ min: 0, max: 60 }) }),
    SEND_MESSAGE: fc.record({
      roomId: fc.constantFrom('general', 'en'),
      text: anyText(1, 200),
      key: fc.uuid(),
    }),
  };
  return fc.oneof(
    ...Object.entries(args).map(([action, of]) => fc.record({ action: fc.constant(action), args: of })),
  );
}

/** Generates existing games, valid amounts, and multipliers with four decimals. */
const challengeRules = (): Rules => ({
  'body.gameSlug': fc.constantFrom('dice', 'keno'),
  'body.minBetMultiplier': fc.integer({ min: 1, max: 1000 }),
  'body.minBetAmountUsd': fc.constantFrom('1', '2.5'),
  'body.rewardCurrency': fc.constantFrom('USDT', 'BTC'),
  'body.rewardAmount': fc.constantFrom('0.01', '3'),
});

/** Generates leaderboards with one prize for each rank. Special leaderboards start in the future. */
const leaderboardRules = (name: string): Rules => ({
  'path.id': fc.oneof(fc.constantFrom('daily', 'weekly'), anyText(1, 64)),
  'path.leaderboardId': fc.oneof(
    fc.constant(String(name.endsWith('/cancel') ? known.leaderboards.open : known.leaderboards.cancelled)),
    anyText(1, 64),
  ),
  'body.name': fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
  'body.minBetUsd': change,
  'body.prizes': fc.constant([{ place: 1, usdAmount: '100' }]),
  'body.startDate': fc.integer({ min: 1, max: 10 }).map(inDays),
  'body.endDate': fc.integer({ min: 20, max: 60 }).map(inDays),
});

/** The period is at most a year, and its end is not before its start, even if one of them is omitted. */
const reportRules = () => ({
  'query.codes': fc.oneof(fc.constant(PARTNER_CODE), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)),
  'query.startDate': fc.integer({ min: 0, max: 300 }).map((days) => inDays(-days)),
  'query.endDate': fc.integer({ min: 0, max: 60 }).map(inDays),
});

/** Generates decisions. Only a rejection may contain a rejection type. */
const decisionOf = ({ properties, ...body }: Schema) => {
  const { rejectType, ...fields } = properties!;
  const { action, ...others } = fields;
  const of = (actions: string[], more: object) =>
    validOf(
      {
        ...body,
        properties: { ...others, action: { ...action!, enum: actions }, ...more },
        required: ['tier', 'action', 'reason', ...Object.keys(more)],
      },
      'body',
    );
  return fc.oneof(of(['APPROVE', 'REQUEST_RESUBMIT', 'RESET'], {}), of(['REJECT'], { rejectType }));
};

/** The duration is given in one of the two allowed ways. */
const exclusionOf = (body: Schema) =>
  fc.oneof(
    ...['excludeUntil', 'durationDays'].map((way) => {
      const { [way]: said, reason } = body.properties!;
      const properties = { [way]: said!, reason: reason! };
      return validOf({ ...body, properties, required: [way] }, 'body', RULES);
    }),
  );

/** Generates actions, each with its own parameters. */
function actionOn(userId: fc.Arbitrary<number>): fc.Arbitrary<object> {
  const level = fc.record({ level: fc.integer({ min: 0, max: 10 }) });
  const amount = fc.integer({ min: 0, max: 1e9 }).map((cents) => String(cents / 100));
  const params: Record<string, fc.Arbitrary<object>> = {
    SET_BALANCE: fc.record({ currencyId: fc.constantFrom('USDT', 'BTC', 'NONE'), amount }),
    SET_VIP_LEVEL: level,
    SET_KYC_LEVEL: fc.record({ level: fc.integer({ min: 0, max: 4 }) }),
    SET_COUNTRY: fc.record({ country: fc.constantFrom('DE', 'BR') }),
  };
  const bare = ['VERIFY_EMAIL', 'COMPLETE_WAGERING', 'CLEAR_EXCLUSION', 'CLEAR_LIMITS', 'CLOSE_SESSIONS'];
  return fc.oneof(
    fc.record({ userId, action: fc.constantFrom(...bare) }),
    ...Object.entries(params).map(([action, of]) =>
      fc.record({ userId, action: fc.constant(action), params: of }),
    ),
  );
}

/** Prepares what a request needs besides a valid body. Returns additional headers. */
async function preparation({ name, path }: Operation): Promise<Record<string, string>> {
  if (isOnRound(path)) return inRound(path);
  if (name === 'POST /auth/refresh')
    return { 'refresh-token': (await signInAgain(caller.app, known.other)).refreshToken };
  if (name.endsWith('/admin/api-keys/{userId}')) await makeApiKey();
  // An exclusion must exist before it can be removed.
  if (name === 'DELETE /admin/user-limits/user-exclusion') await staffExcludes();
  // A user must be banned before an unban, and not banned before a ban.
  if (name.endsWith('/admin/user/{id}/unban')) await staffDoes('ban');
  if (name.endsWith('/admin/user/{id}/ban')) await staffDoes('unban');
  // A user sets a first password right after signing in.
  if (name === 'PATCH /user/change-password')
    return { authorization: `Bearer ${(await caller.app.newPlayer()).token}` };
  // A user who becomes superadmin must not call the other operations.
  return name.endsWith('/give-admin') ? { authorization: `Bearer ${known.other.token}` } : {};
}

const inRounds = new Map<string, Promise<Player>>();

/** Returns the headers of a user who has just started a round and whom only this operation uses. */
async function inRound(path: string): Promise<Record<string, string>> {
  if (!inRounds.has(path)) inRounds.set(path, caller.app.newPlayer({ usdt: 10_000 }));
  const player = await inRounds.get(path)!;
  await endRounds(player);
  await beginRounds(player, path.endsWith('/cash-out'));
  return { authorization: `Bearer ${player.token}` };
}

async function staffDoes(what: 'ban' | 'unban'): Promise<void> {
  const path = `/admin/user/{id}/${what}`;
  const operation = operations.find((o) => o.path === path)!;
  await caller.send(operation, { url: path.replace('{id}', String(known.subject.id)), body: {} });
}

async function staffExcludes(): Promise<void> {
  const operation = operations.find((o) => o.name === 'POST /admin/user-limits/user-exclusion')!;
  const excludeUntil = new Date(Date.now() + 86_400_000).toISOString();
  await caller.send(operation, { body: { userId: known.subject.id, excludeUntil } });
}

async function makeApiKey(): Promise<void> {
  const making = operations.find((o) => o.name === 'POST /admin/api-keys')!;
  await caller.send(making, { body: { userId: known.other.id } });
}

/**
 * Operations that never succeed with random data. Most of them need data from an identity provider, an email or an authenticator app. Their
 * own tests provide this data.
 */
const NEVER_BY_CHANCE = new Set([
  // This test plays no slots.
  'GET /bets/slots/info/{betId}',
  // The first successful call rolls back the bet or ends the round.
  'POST /webhooks/games/{provider}/transaction/win',
  // The request contains no image.
  'POST /admin/casino/games/{slug}/images',
  'POST /admin/casino/games/providers/{slug}/images',
  // Random requests contain ids of rules and findings that do not exist.
  'PATCH /admin/casino/games/commission',
  'DELETE /admin/casino/games/commission',
  'POST /admin/casino/findings/{id}/apply',
  'POST /admin/casino/findings/{id}/close',
  // There is no leaderboard with a prize to pay.
  'POST /admin/leaderboards/give-prize',
  // Random requests contain promotions, codes and grants that do not exist, or terms that contradict each other.
  'POST /promo/redeem',
  'POST /promo/{grantId}/forfeit',
  'POST /admin/promo',
  'GET /admin/promo/{id}',
  'PATCH /admin/promo/{id}',
  'DELETE /admin/promo/{id}',
  'POST /admin/promo/{id}/status',
  'POST /admin/promo/{id}/codes',
  'GET /admin/promo/{id}/codes',
  'PUT /admin/promo/{id}/games',
  'POST /admin/promo/{id}/grant',
  'POST /admin/promo/grants/{grantId}/cancel',
  // Random requests contain ids of challenges that do not exist.
  'GET /challenge/{id}',
  'GET /admin/challenge/{id}',
  'PATCH /admin/challenge/{id}',
  'DELETE /admin/challenge/{id}',
  'GET /admin/challenge/{id}/bets',
  'POST /admin/challenge/{id}/award',
  'POST /admin/challenge/{id}/rollback',
  'POST /admin/challenge/{id}/image',
  // There are no earnings to claim.
  'POST /affiliate/claim',
  'POST /rakeback/claim',
  // The request contains no image.
  'POST /vip-application/{id}/image',
  'GET /vip-application/image/{imageId}',
  'GET /admin/vip-application/image/{imageId}',
  // This operation requires the password of the sportsbook.
  'POST /sportsbook/external/auth/login',
  'POST /debug/sportsbook/auth',
  // Random ids do not match users, their sessions or promotions.
  'POST /external-auth/authenticate',
  'GET /marketing/userdetails/{userId}',
  'GET /marketing/userblocks/{userId}',
  'GET /marketing/userconsents/{userId}',
  'POST /marketing/userconsents/{userId}',
  'POST /marketing/bonus/credit',
  // Random ids do not match players or their entries.
  'GET /sportsbook/external/players/{playerId}',
  'GET /sportsbook/external/wallet/{playerId}/balances',
  'POST /sportsbook/external/wallet/{playerId}/transactions',
  'GET /sportsbook/external/wallet/{playerId}/transactions/{transactionId}',
  'POST /debug/sportsbook/get-bet',
  'GET /auth/google/callback',
  'GET /auth/steam/return',
  // These operations redirect to the operations above.
  'POST /auth/google/callback',
  'POST /auth/steam/return',
  // These operations need a second person. There are no deposits to review, and no rule that raises the house edge.
  'POST /admin/payments/deposit/{id}/review',
  'POST /admin/payments/deposit/{id}/review/approve',
  'POST /admin/payments/deposit/{id}/review/reject',
  'PUT /admin/casino/games/commission',
  'GET /admin/casino/games/commission/{id}',
  // No player here is self-excluded with open turnover.
  'POST /admin/admin-tips/end-turnover',
  'POST /auth/setup-username',
  'POST /auth/verify-2fa',
  // This operation requires a signature of an authenticator.
  'POST /user/passkeys',
  'PATCH /user/passkeys/{id}',
  'DELETE /user/passkeys/{id}',
  'POST /user/passkeys/proof/options',
  'POST /user/passkeys/proof',
  'POST /user/passkeys/sign-in',
  'POST /user/passkeys/second-factor/options',
  'POST /user/passkeys/second-factor',
  'POST /user/enable-2fa',
  'POST /user/disable-2fa',
  'POST /user/reset-2fa',
  'DELETE /admin/user/{id}/mfa',
  'POST /kyc/session',
  'POST /user-limits/gambling-limits/confirm',
  // The payment provider is not running.
  'GET /payments/deposit/address',
  // A withdrawal can be reviewed only once. Only some of the requests contain a quote, a memo and a code.
  'POST /payments/withdraw',
  'POST /payments/withdraw/cancel',
  'POST /admin/payments/withdraw/approve',
  'POST /admin/payments/withdraw/reject',
  'POST /admin/payments/withdraw/retry',
  'DELETE /user-limits/gambling-limits/pending',
]);

/** Returns the problems of a response: internal failures, undeclared statuses and undeclared bodies. */
function problemsOf(operation: Operation, answer: Answer): string[] {
  const { responses } = operation;
  const { status, body, text } = answer;
  if (status >= 500 && !isMalformed(operation, answer)) return [`${status} ${text}`];
  if (!Object.hasOwn(responses, status)) return [`${status} is not declared: ${text}`];
  const schema = responses[status];
  if (!schema) return text === '' ? [] : [`${status} has no declared body: ${text}`];
  // A drawing is text.
  const problems = misfits(schema, body ?? text);
  return problems.map((problem) => `${status}: ${problem}`);
}

async function sendValid(operation: Operation, request: Request): Promise<Answer> {
  const headers = { ...request.headers, ...(await preparation(operation)) };
  return caller.send(operation, { url: urlOf(operation, request), body: request.body, headers });
}

async function sendBroken(
  operation: Operation,
  { url, headers, without, ...broken }: Broken,
): Promise<Answer> {
  const raw = broken.form ? caller.written(operation, broken.form) : broken.raw;
  const admission = Object.entries(await caller.admission(operation)).filter(
    ([name]) => !without.includes(name),
  );
  const type: Record<string, string> = raw === undefined ? {} : { 'content-type': typeOf(operation) };
  const all = {
    ...Object.fromEntries(admission),
    ...type,
    ...headers,
    ...caller.proof(operation, raw ?? ''),
  };
  return caller.app.call(operation.method, url, { headers: all, ...(raw === undefined ? {} : { raw }) });
}

/**
 * Operations that compare fields with each other, such as a type with its reason and amount, or an action with the fields that it needs.
 */
const CHECKS_MEANING: ReadonlySet<string> = new Set([
  'POST /sportsbook/external/wallet/{playerId}/transactions',
  'POST /admin/payments/deposit/{id}/review',
]);

/**
 * Returns true if an operation may accept any input. Reports of something that has already happened are stored regardless of their content.
 * Requests that return from an identity provider are redirected unchanged. Only a call that takes a stake must be rejected if it is
 * malformed.
 */
function maySayAnything({ path, method }: Operation, raw: string | undefined): boolean {
  if (method === 'POST' && /^\/auth\/(google\/callback|steam\/return)$/.test(path)) return true;
  const isStake = path.startsWith('/sportsbook/') && (raw === undefined || /withdrawal/i.test(raw));
  if (isPartnerReport({ path }) && !isStake) return true;
  const takesStake = /\/(bet|balance|info|authenticate|user\/balance|user\/info)(\.html)?$/.test(path);
  const hasStake = raw === undefined || /"action":"(BET|BET_WIN|bet)"/.test(raw);
  const isMixed = path === '/webhooks/games/{provider}' || path.endsWith('/play');
  return path.startsWith('/webhooks/games/') && !takesStake && !(isMixed && hasStake);
}

/** Operations that succeeded at least once. Some attempts fail because an earlier call has used up an object that they need. */
const succeeded = new Set<string>();

describe.concurrent.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_, operation) => {
    const settings = { seed: seedOf(operation), numRuns: runsOf(operation) };

    test(
      'accepts every valid request and returns only declared responses',
      async () => {
        const valid = validRequest(operation, rulesOf(operation));
        const check = async (request: Request) => {
          const answer = await sendValid(operation, request);
          if (isDone(operation, answer)) succeeded.add(operation.name);
          // Contradictory fields are rejected with the same code as malformed fields.
          const isMeaning = CHECKS_MEANING.has(operation.name);
          const isMisread =
            !isMeaning &&
            ((!isDone(operation, answer) && isMalformed(operation, answer)) ||
              answer.body?.code === 'VALIDATION_FAILED');
          expect([...problemsOf(operation, answer), ...(isMisread ? [answer.text] : [])]).toEqual([]);
        };
        await fc.assert(fc.asyncProperty(valid, check), settings);
        if (settings.numRuns < HANDFUL || NEVER_BY_CHANCE.has(operation.name)) return;
        const numRuns = succeeded.has(operation.name) ? 0 : MORE_RUNS;
        for (const more of fc.sample(valid, { ...settings, numRuns }))
          if (!succeeded.has(operation.name)) await check(more);
        expect(succeeded).toContain(operation.name);
      },
      TIMEOUT_MS,
    );

    test(
      'rejects an invalid request because of its invalid part, and returns only declared responses',
      async () => {
        const property = fc.asyncProperty(brokenRequest(operation, rulesOf(operation)), async (broken) => {
          const answer = await sendBroken(operation, broken);
          const got = `${answer.status} ${answer.body?.code}`;
          const isRefused =
            maySayAnything(operation, broken.raw) ||
            (broken.refusal === MALFORMED ? isMalformed(operation, answer) : broken.refusal.test(got));
          expect([
            ...problemsOf(operation, answer),
            ...(isRefused ? [] : [`${broken.kind}: ${got} instead of ${broken.refusal}`]),
          ]).toEqual([]);
        });
        await fc.assert(property, settings);
      },
      TIMEOUT_MS,
    );
  },
);

test('logs no failure and keeps the event loop responsive', async () => {
  // The requests change the log level, use wrong passwords and send callbacks for unknown users, so some warnings are expected.
  const failures = caller.app.lines
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .filter((line) => !EXPECTED_WARNINGS.test(line));
  expect(failures).toEqual([]);
  expect(loop.p99Ms()).toBeLessThan(100);
  expect((await caller.app.call('GET', '/health')).status).toBe(200);
});
