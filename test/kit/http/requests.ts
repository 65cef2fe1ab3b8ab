import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { sandboxProviders } from '../../../src/platform/config/settings/sandbox-game-providers.ts';
import { startCaptcha } from '../accounts/captcha.ts';
import { type Answer, type Player, startApp, type TestApp } from '../app.ts';
import { aTrigger } from '../backoffice/crm.ts';
import { HOUSE_BETS } from '../games/house.ts';
import { endRounds, ROUND_STARTS } from '../games/house-rounds.ts';
import { keysOf } from '../games/partner.ts';
import { keepSeeds, turnUntil } from '../games/speed-roulette.ts';
import {
  dialectOf,
  formOf,
  GAMBLER,
  isDone,
  isToRepeat,
  OPENING_BETS,
  openGames,
  SUPPLIER_BODIES,
  supplierOf,
} from '../games/supplier-calls.ts';
import { isFull } from '../length.ts';
import { proofOf } from '../money/webhooks.ts';
import { type Rules, validOf } from './arbitrary.ts';
import { type Operation, operationsOf, type Schema } from './openapi.ts';
import { startOutside } from './outside.ts';

export type Caller = Awaited<ReturnType<typeof startCaller>>;
export type Sent = { url?: string; body?: unknown; raw?: string; headers?: Record<string, string> };

/** Settings with long timeouts, because these tests check the form of responses and not their duration. */
const PATIENT = {
  // These limits are so high that no test reaches them.
  CRM_FUNDS_PLAYER_USD: '1000000000',
  CRM_FUNDS_TOTAL_USD: '1000000000',
  DATABASE_CONNECT_TIMEOUT_MS: '30000',
  DATABASE_STATEMENT_TIMEOUT_MS: '30000',
  BET_DEADLINE_MS: '30000',
};

/** The text that the wallet logs when a callback fails for an unknown reason. */
const FAILED = 'a callback failed';
const SITE = 'https://site.example';

/** Starts a service with all users that the tests need to get access to its operations. */
export async function startCaller() {
  const captcha = await startCaptcha();
  // The tests use only the public chain and the game suppliers of these external services.
  const outside = await startOutside();
  const chain = { PUBLIC_CHAIN_URL: outside.env.PUBLIC_CHAIN_URL!, SPEED_ROULETTE_CHAIN_LENGTH: '1200' };
  const env = {
    ...captcha.env,
    ...PATIENT,
    ...chain,
    SITE_URL: SITE,
    SITE_ORIGINS: SITE,
    GAME_PROVIDERS: JSON.stringify(sandboxProviders(outside.url)),
  };
  const app = await startApp({ env });
  await openSharedRound(app, outside);
  // Responds in place of a realtime process.
  await app.services.broker.respond('gateway.send', async () => ({ delivered: 0, acknowledged: 0 }));
  const player = await app.newPlayer({ usdt: 1_000_000, username: TIPPED });
  // Allows the player to sell skins.
  const atPlatform = { platform_id: '76561190000000001', platform_trade_link: 'https://platform.example/' };
  await app.db.updateTable('users').set(atPlatform).where('id', '=', player.id).execute();
  const admin = await app.as('superadmin');
  // Allows withdrawals of any amount, and the maximum number of open withdrawals that the platform permits.
  const free = { min_withdraw: 0n, withdraw_fee: 0n };
  await app.db.updateTable('currency_networks').set(free).where('id', '=', 'tron').execute();
  await app.services.currencies.refreshRates();
  const config = { minUsd: '0', maxOpenPerUser: 20 };
  await admin.call('PATCH', '/admin/config/WITHDRAWALS', { body: config });
  // Allows tips of any amount, which need not be wagered.
  const tips = { minUsd: '0', dailyLimitUsd: '999999999', recipientTurnoverPercent: 0 };
  const ofTips = { tips, adminTips: { turnoverPercent: 0 } };
  await admin.call('PATCH', '/admin/config/COMMON', { body: ofTips });
  const loner = await app.newPlayer();
  const editor = await app.newPlayer();
  const beginner = await app.newPlayer({ usdt: 1_000_000 });
  await app.db.updateTable('users').set({ email_verified: true }).where('id', '=', beginner.id).execute();
  const gambler = await app.newPlayer({ usdt: 1_000_000 });
  if (String(gambler.id) !== GAMBLER) throw new Error(`the gambler is user ${gambler.id}`);
  await openGames(app);
  const operations = operationsOf((await app.call('GET', '/openapi.json')).body);
  const keyFor = await keysOf(app, admin);

  /**
   * Returns the headers without which an operation returns 401, 403 or 400 (for a missing captcha). They include the signature for this
   * body.
   */
  const admission = async (operation: Operation, text = ''): Promise<Record<string, string>> => ({
    ...(await authorization(operation, app, { player, admin, loner, editor, beginner })),
    ...(operation.captcha ? await captcha.solved() : {}),
    ...proof(operation, text),
  });
  const proof = ({ access, path }: Operation, text: string): Record<string, string> => {
    // The trigger headers make a credit idempotent. Like the idempotency key, they are set here and not by the caller.
    if (path.startsWith('/marketing/bonus/credit')) return { ...keyFor(path), ...aTrigger() };
    if (access === 'ApiKey') return keyFor(path);
    return access === 'Signature' ? proofOf(app, path, text) : {};
  };
  const written = (operation: Operation, body: unknown): string =>
    operation.isForm ? formOf(app, body) : JSON.stringify(body);
  const send = async (operation: Operation, { url, body, raw, headers }: Sent): Promise<Answer> => {
    const text = raw ?? (body === undefined ? undefined : written(operation, body));
    const json: Record<string, string> = text === undefined ? {} : { 'content-type': typeOf(operation) };
    // The caller cannot override the signature, which depends on the body, or the API key.
    const signed = proof(operation, text ?? '');
    const options = { headers: { ...(await admission(operation)), ...json, ...headers, ...signed } };
    const once = () =>
      app.call(
        operation.method,
        url ?? examplePath(operation),
        text === undefined ? options : { ...options, raw: text },
      );
    let answer = await once();
    // Retries if a queue is full or a deadline has expired. Suppliers get the same status for internal failures, but those are logged.
    for (let again = 0; again < 10 && isToRepeat(operation, answer); again++) {
      const failure = app.lines.find((line) => line.includes(FAILED));
      if (failure) throw new Error(`${operation.name}: ${failure}`);
      answer = await once();
    }
    // Ends the open rounds, because the next request must be able to start one.
    if (answer.status === 201 && ROUND_STARTS[operation.path]) await endRounds(beginner);
    return answer;
  };
  await Promise.all(
    OPENING_BETS.map(async ([path, bet]) => {
      const operation = operations.find((o) => o.path === `/webhooks/games/{provider}${path}`)!;
      const answer = await send(operation, { body: { ...fullBody(operation), ...bet } });
      if (!isDone(operation, answer)) throw new Error(`${operation.name} answers ${answer.text}`);
    }),
  );
  return {
    app,
    captcha,
    player,
    operations,
    admission,
    proof,
    written,
    send,
    async stop() {
      await app.stop();
      await captcha.close();
      await outside.close();
    },
  };
}

/** Returns the content type of an operation. */
export const typeOf = ({ isForm }: Operation): string =>
  isForm ? 'application/x-www-form-urlencoded' : 'application/json';

/** Opens a round of speed-roulette that accepts bets for as long as the tests run. */
async function openSharedRound(
  app: TestApp,
  outside: Awaited<ReturnType<typeof startOutside>>,
): Promise<void> {
  await keepSeeds(app, outside);
  await turnUntil(app, 'BETTING');
  await sql`update speed_rounds set ends_at = ends_at + interval '1 hour', betting_ms = betting_ms + 3600000
    where phase = 'BETTING'`.execute(app.db);
}

/** The username of the player, who is the first user. */
const TIPPED = 'tipped';
const ADMIN_TIP = { recipientUserId: 1, currencyId: 'USDT', amount: '1', notes: 'a test', tag: 'test' };

type Who = 'player' | 'admin' | 'loner' | 'editor' | 'beginner';

async function authorization(
  { name, path, access }: Operation,
  app: TestApp,
  { player, admin, loner, editor, beginner }: Record<Who, Player>,
): Promise<Record<string, string>> {
  // The debug token is needed, because the full body of this operation creates staff.
  if (name === 'POST /debug/user/create') return { 'x-debug-token': app.config.DEBUG_TOKEN ?? '' };
  if (['Anonymous', 'ApiKey', 'Signature'].includes(access)) return {};
  // These operations end the caller's other sessions, so they use a separate player.
  if (/\/(log-out\/others|change-password)$/.test(name)) return { authorization: `Bearer ${loner.token}` };
  // Limits of the main player would block all other operations.
  if (name.includes(' /user-limits/')) return { authorization: `Bearer ${loner.token}` };
  // Uses a player whose rounds are ended immediately, because an open round blocks other operations.
  if (ROUND_STARTS[path]) return { authorization: `Bearer ${beginner.token}` };
  // Players cannot tip themselves.
  if (name === 'POST /user-tips') return { authorization: `Bearer ${beginner.token}` };
  // Uses another player, because the main player's username is needed to sign in again.
  if (name === 'PATCH /user/me') return { authorization: `Bearer ${editor.token}` };
  // Signing out could end a concurrent sign-in with the same name, so each call uses a new user.
  const isEnd = /log-?out/.test(name);
  const leaver = { username: `l_${randomBytes(7).toString('hex')}` };
  const token = isEnd ? (await signInAgain(app, leaver)).token : (access === 'Auth' ? player : admin).token;
  return { authorization: `Bearer ${token}` };
}

/** Opens another session for a player. */
export async function signInAgain(app: TestApp, { username }: Pick<Player, 'username'>) {
  const headers = { 'x-debug-token': app.config.DEBUG_TOKEN ?? '' };
  const { body } = await app.call('POST', `/debug/auth/login/${username}`, { headers });
  return { token: body.accessToken.token as string, refreshToken: body.refreshToken.token as string };
}

/** Returns the path of an operation, with parameters that match no object and with the required query. */
export function examplePath({ name, path, parameters, access }: Operation): string {
  const known = PATHS[name];
  if (known) return known;
  const query = parameters.filter((p) => p.in === 'query' && p.required).map((p) => [p.name, '1']);
  const filled = path.replace(/\{([^}]+)\}/g, (_, at: string) =>
    access === 'Signature' && at === 'provider'
      ? supplierOf(dialectOf({ path }) ?? 'generic')
      : strangerTo(parameters, at),
  );
  return query.length > 0 ? `${filled}?${new URLSearchParams(query as [string, string][])}` : filled;
}

/** Paths of operations that need an existing object. The fourth user is the editor. */
const PATHS: Readonly<Record<string, string>> = {
  'PATCH /admin/kyc/{userId}': '/admin/kyc/4',
  'POST /admin/leaderboards/schedule/{id}': '/admin/leaderboards/schedule/daily',
  'POST /debug/deposit/{userId}': '/debug/deposit/4',
};

/** Returns a well-formed path parameter, so that later checks run even though the parameter matches no object. */
function strangerTo(parameters: Operation['parameters'], name: string): string {
  const schema = parameters.find((p) => p.in === 'path' && p.name === name)?.schema;
  if (schema?.enum) return String(schema.enum[0]);
  if (schema?.type === 'integer') return '2147483647';
  return schema?.pattern ? String(fc.sample(validOf(schema, 'path'), { numRuns: 1, seed: 7 })[0]) : 'none';
}

/** Matches the expected warnings: guesses at credentials, and partner reports that are invalid or refer to unknown players. */
export const EXPECTED_WARNINGS = new RegExp(
  `"msg":"(${[
    'sign-in failed',
    'many failed sign-ins from one network',
    'skin webhook about an unknown transaction stored',
    'deposit needs review',
    'KYC webhook stored without effect',
    'partner report stored without booking',
    'webhook about an unknown payout ignored',
    // The service logs this if the machine was too busy for a second.
    'the database is not available: an outage begins',
  ].join('|')})"`,
);

const START = Date.now();
/** Returns a time that does not change during a test run. */
export const inDays = (days: number) => new Date(START + days * 86_400_000).toISOString();

/** A Tron address with a valid checksum. */
export const RECIPIENT = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

const SOMETHING = fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }).filter((t) => t.trim() !== '');

/** Rules of the platform that no schema expresses: generators of valid values, by field. */
export const RULES: Rules = {
  // Amounts in US dollars above zero, with decimals that every currency can express. Most of them may be staked at any odds.
  'body.betAmount': fc
    .oneof(
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 1000 }) },
      fc.integer({ min: 1, max: 10_000_000 }),
    )
    .map((cents) => String(cents / 100)),
  // A threshold with two decimals, whose multiplier is between 1.01 and the maximum.
  'body.threshold': fc.integer({ min: 200, max: 9800 }).map((n) => n / 100),
  // A single line of text.
  'body.memo': fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
  // Consents without duplicate types.
  'body.consents': fc
    .uniqueArray(fc.constantFrom('email', 'sms', 'telephone', 'postMail'), { minLength: 1 })
    .chain((types) =>
      fc.tuple(...types.map((type) => fc.record({ type: fc.constant(type), opted_in: fc.boolean() }))),
    ),
  'body.selected': fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
  // The number of bombs is lower than the number of cells of the smallest grid. The cells are distinct and exist in every grid.
  'body.bombsCount': fc.integer({ min: 1, max: 4 }),
  'body.cellIndices': fc.uniqueArray(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 5 }),
  // Tags without duplicates.
  'body.slugs': fc.uniqueArray(fc.stringMatching(/^[a-z]{3,20}$/), { minLength: 1, maxLength: 20 }),
  // Saved views without duplicate names.
  'body.views': fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
      query: fc.stringMatching(/^[a-z]{1,20}=[a-z0-9]{1,20}$/),
    }),
    { selector: ({ name }) => name, maxLength: 20 },
  ),
  'body.columns': fc.option(
    fc.uniqueArray(fc.stringMatching(/^[a-z]{1,20}$/), { minLength: 1, maxLength: 20 }),
  ),
  'body.tags': fc.uniqueArray(fc.stringMatching(/^[a-z]{1,30}$/), { maxLength: 20 }),
  // The side bet is not higher than any bet, and the cards of the deck are distinct.
  'body.sideBetAmount': fc.constantFrom(null, '0', '0.01'),
  'body.deck': fc.uniqueArray(fc.integer({ min: 1, max: 52 }), { minLength: 4, maxLength: 52 }),
  // Passwords that are not common and do not contain the name of their owner.
  'body.password': fc.stringMatching(/^[a-z0-9]{14,40}$/),
  'body.newPassword': fc.stringMatching(/^[a-z0-9]{14,40}$/),
  // Text that does not consist only of blanks.
  'body.note': SOMETHING,
  'body.notes': SOMETHING,
  'body.reason': SOMETHING,
  'body.reasonPublic': SOMETHING,
  'body.rejectReason': SOMETHING,
  'body.mfaCode': fc.stringMatching(/^[0-9]{6}$/),
  'body.currencyId': fc.constant('USDT'),
  // A time less than five years in the future.
  'body.durationDays': fc.integer({ min: 1, max: 1826 }),
  'body.excludeUntil': fc.integer({ min: 1, max: 1800 }).map((days) => inDays(days)),
  'body.successUrl': fc.constant(`${SITE}/wallet?sold=1`),
  'body.failUrl': fc.constant(`${SITE}/`),
  'body.returnUrl': fc.constant(`${SITE}/lobby`),
  // An adult in a country where the platform is available.
  'body.firstName': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  'body.lastName': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  'body.birthDate': fc.integer({ min: 1930, max: 2000 }).map((year) => `${year}-02-28`),
  'body.country': fc.constantFrom('DE', 'BR'),
  'body.city': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  'body.address': fc.stringMatching(/^[A-Z][a-z]{1,20} [1-9]$/),
  'body.postalCode': fc.stringMatching(/^[0-9]{5}$/),
  // A single line of text.
  // The names of roles are in capitals.
  'body.name': fc.stringMatching(/^[A-Z]{2,20}$/),
  'body.platformName': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  'body.platformUsername': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  'body.rank': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  'body.contactUsername': fc.stringMatching(/^[A-Z][a-z]{1,20}$/),
  // A level may be set only when approving.
  'body.approve': fc.constant(true),
  'body.networkId': fc.constant('tron'),
  'body.recipientAddress': fc.constant(RECIPIENT),
  'body.blockUntil': fc.constant(inDays(2)),
  // One or more values, without duplicates.
  'query.playDays': fc.constantFrom('MONDAY', 'SUNDAY'),
  'query.providerSlugs': fc.stringMatching(/^[a-z]{3,20}$/),
  'body.playDays': fc.uniqueArray(fc.constantFrom('MONDAY', 'FRIDAY', 'SUNDAY'), { minLength: 1 }),
  'body.games[]': fc.uuid(),
  // A start before the end, and an interval that is allowed in every period.
  'query.startDate': fc.integer({ min: 10, max: 19 }).map((day) => `2026-10-${day}T00:00:00.000Z`),
  'query.endDate': fc.integer({ min: 10, max: 19 }).map((day) => `2026-11-${day}T12:34:56.789Z`),
  'query.timezone': fc.constantFrom('UTC', 'Europe/Malta', 'Asia/Kathmandu', 'America/Sao_Paulo'),
  'query.timeRange': fc.constantFrom('LAST_7_DAYS', 'LAST_30_DAYS', 'THIS_MONTH', 'THIS_YEAR'),
  'query.timeGroup': fc.constant('DAY'),
  'body.clientSeed': fc.stringMatching(/^[\x20-\x7e]{1,64}$/).filter((t) => t.length <= 64),
};

const LIMITS = { enabled: true, minBet: 0.01, maxBet: 1000, maxProfit: 100_000 };
/** All settings of each game, with their default values. */
export const HOUSE_SETTINGS = {
  dice: { ...LIMITS, rtp: 99, maxMultiplier: 9900 },
  limbo: { ...LIMITS, rtp: 99, minMultiplier: 1.01, maxMultiplier: 1_000_000 },
  keno: { ...LIMITS, rtp: 99 },
  plinko: { ...LIMITS, rtp: 99, manualMs: 300, autoMs: 600 },
  mines: { ...LIMITS, rtp: 99 },
  'monkey-run': { ...LIMITS, rtp: 99 },
  roulette: { ...LIMITS, rtp: 97.3 },
  blackjack: { ...LIMITS, rtp: 99.55 },
  'speed-roulette': {
    ...LIMITS,
    rtp: 93.33,
    timeConfig: { bettingMs: 10_000, waitingMs: 2000, resultMs: 8000 },
  },
};

/** Bodies of requests that succeed. New ones are created for every request. */
const WORKING: Readonly<Record<string, () => Record<string, unknown>>> = {
  ...SUPPLIER_BODIES,
  'POST /auth/sign-up': () => ({
    ...newcomer(),
    affiliateCode: 'friend',
    language: 'en',
    referrer: 'a page',
  }),
  'PATCH /user/me': () => ({
    avatar: null,
    language: 'en',
    isPrivate: false,
    isStreamerMode: false,
    isEmailNotificationsEnabled: true,
    platformTradeLink: 'https://platform.example/tradeoffer/new/?partner=1&token=a',
  }),
  'POST /user-tips': () => ({
    recipientUsername: TIPPED,
    currencyId: 'USDT',
    amount: '1',
    message: 'good luck',
    isPublic: true,
  }),
  'POST /admin/admin-tips': () => ADMIN_TIP,
  'POST /admin/admin-tips/deduct-balance': () => ADMIN_TIP,
  'POST /accounting/to-vault': () => ({ currencyId: 'USDT', amount: '1' }),
  'POST /accounting/from-vault': () => ({ currencyId: 'USDT', amount: '0.01' }),
  ...Object.fromEntries(
    Object.entries(HOUSE_BETS).map(([game, body]) => [
      `POST /casino/games/house/${game}/bet`,
      () => ({ ...body, windowId: 'w' }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(HOUSE_BETS).map(([game, body]) => [
      `POST /casino/games/house/${game}/series`,
      () => ({ ...body, windowId: 'w', count: 2 }),
    ]),
  ),
  'POST /casino/games/house/speed-roulette/bet': () => ({
    currencyId: 'USDT',
    betAmount: '0.01',
    color: 'RED',
    windowId: 'w',
  }),
  'POST /admin/casino/games/house/settings': () => HOUSE_SETTINGS,
  'POST /admin/casino/games/house/{game}/kill-switch': () => ({ enabled: false, reason: 'a drill' }),
  ...Object.fromEntries(
    Object.entries(ROUND_STARTS).map(([path, body]) => [`POST ${path}`, () => ({ ...body })]),
  ),
  'POST /casino/games/house/mines/auto-spin': () => ({
    ...ROUND_STARTS['/casino/games/house/mines/play'],
    cellIndices: [0, 1],
  }),
  'POST /fairness/seeds/rotate': () => ({ clientSeed: 'seed' }),
  // Every request has the same end, because a later exclusion must not be shorter than an earlier one.
  'POST /user-limits/self-exclusion': () => ({ excludeUntil: inDays(1), reason: 'a break' }),
  'POST /user-limits/gambling-limits': () => ({ type: 'DEPOSIT', period: 'DAY', amount: '1' }),
  // The fourth user is the editor.
  'POST /admin/user-limits/user-exclusion': () => ({ userId: 4, excludeUntil: inDays(1) }),
  'POST /admin/user-limits/gambling-limits': () => ({ userId: 4, betLimit: '1' }),
  'POST /admin/accounting/transactions': () => ({
    sortBy: 'createdAt',
    sortOrder: 'desc',
    page: 1,
    take: 20,
    where: { minUsdAmount: '1', maxUsdAmount: '2' },
  }),
  'POST /admin/affiliate': () => ({
    sortBy: 'wageredUsdAmount',
    sortOrder: 'desc',
    where: {
      levelId: 1,
      search: 'friend',
      minReferralCount: 1,
      minUsersWageredUsdAmount: '1',
    },
    page: 1,
    take: 6,
  }),
  'POST /marketing/bonus/credit/funds': () => ({
    user_id: '1',
    amount: '1',
    currency: 'USDT',
    reason: 'a gift',
  }),
  'POST /admin/leaderboards': () => ({
    name: 'A race',
    description: 'The player who wagers most wins.',
    startDate: inDays(1),
    endDate: inDays(2),
    currencyId: 'USDT',
    minBetUsd: '1',
    prizes: [{ place: 1, usdAmount: '100' }],
    eligible: { categories: ['SLOTS'], providerIds: [1], gameSlugs: ['dice'] },
  }),
  'POST /admin/bets': () => ({
    where: { userId: 4, minUsdAmount: '1', maxUsdAmount: '2', startDate: inDays(-1), endDate: inDays(1) },
  }),
  'POST /debug/deposit/{userId}': () => WORKING['POST /webhooks/payments/{provider}/deposit']!(),
  'POST /payments/withdraw': () => ({
    currencyId: 'USDT',
    networkId: 'tron',
    amount: '1',
    recipientAddress: RECIPIENT,
  }),
  'POST /payments/withdraw/estimate': () => ({ currencyId: 'USDT', networkId: 'tron', amount: '1' }),
  'POST /payments/skins/deposit': () => ({
    currencyId: 'USDT',
    game: 'cs2',
    minAmountUsd: '1',
    successUrl: `${SITE}/wallet`,
    failUrl: SITE,
  }),
  'PATCH /admin/kyc/{userId}': () => ({
    tier: 'ADDRESS',
    action: 'REJECT',
    reason: 'illegible',
    rejectType: 'RETRY',
  }),
  'POST /webhooks/skins/{provider}': () => ({
    transactionId: `t-${randomBytes(7).toString('hex')}`,
    status: 'PENDING',
    usdAmount: '1',
    items: [{ name: 'AK-47', priceUsd: '1' }],
    holdUntil: now(),
    userRisk: { score: 10 },
    failReason: 'none',
    occurredAt: now(),
  }),
  'POST /webhooks/payments/{provider}/deposit': () => ({
    externalId: `d-${randomBytes(7).toString('hex')}`,
    status: 'DETECTED',
    occurredAt: now(),
    payAddress: 'nobody',
    payMemo: 'memo',
    currencyId: 'BTC',
    networkId: 'bitcoin',
    amount: '1',
    txHash: randomBytes(32).toString('hex'),
    outputIndex: 0,
    confirmations: 1,
  }),
  'POST /webhooks/payments/{provider}/withdrawal': () => ({
    externalId: `w-${randomBytes(7).toString('hex')}`,
    reference: 'nobody',
    status: 'SENT',
    txHash: randomBytes(32).toString('hex'),
    networkFee: '1',
    confirmations: 1,
    failedReason: 'none',
    occurredAt: now(),
  }),
  // The first user is the player.
  'POST /admin/api-keys': () => ({ userId: 1 }),
  'POST /admin/roles': () => ({ ...newRole(), permissions: ['user.read'] }),
  'PUT /admin/challenge': challenge,
  'PUT /admin/logger': () => ({ level: { default: 'warn' }, ttlSeconds: 900 }),
  // The second user is the superadmin, who needs no money.
  'POST /debug/user/action': () => ({
    userId: 2,
    action: 'SET_BALANCE',
    params: { currencyId: 'USDT', amount: '1000000' },
  }),
  'POST /send-message': () => ({ pattern: 'debug.echo', data: { a: 1 }, timeoutMs: 8000 }),
  'POST /emit-event': () => ({ pattern: 'debug.event', data: { a: 1 } }),
  'POST /debug/gateway/emit': () => ({ event: 'debug.event', data: { a: 1 }, room: 'public', userId: 1 }),
  'POST /debug/gateway/send': () => ({ event: 'debug.event', data: { a: 1 }, room: 'public', userId: 1 }),
  'POST /debug/user/create': () => ({
    ...newcomer(),
    country: 'DE',
    vipLevel: 1,
    kycLevel: 1,
    emailVerified: true,
    roles: ['A'],
    permissions: ['b'],
    balances: [{ currencyId: 'USDT', amount: '1' }],
  }),
};

function newRole() {
  const name = `R_${randomBytes(7).toString('hex').toUpperCase()}`;
  return {
    name,
    title: `Role ${name}`,
    description: 'For the test',
    reason: 'a test',
  };
}

const now = () => new Date().toISOString();

function challenge() {
  return {
    gameSlug: 'dice',
    minBetAmountUsd: '1',
    minBetMultiplier: 2,
    rewardCurrency: 'USDT',
    rewardAmount: '1',
    isHidden: true,
  };
}

export const isKnownToWork = ({ name }: Operation): boolean => Object.hasOwn(WORKING, name);

function newcomer() {
  const username = `n_${randomBytes(7).toString('hex')}`;
  return { username, email: `${username}@input.example`, password: randomBytes(9).toString('hex') };
}

/**
 * Returns a body with every optional field. It is a body that succeeds, if one is defined for the operation, or otherwise a well-formed
 * body.
 */
export function fullBody(operation: Operation): any {
  const known = WORKING[operation.name];
  if (known) return known();
  let body = bodies.get(operation);
  if (body === undefined) {
    const arbitrary = validOf(withEverything(operation.body!), 'body', RULES);
    body = fc.sample(arbitrary, { numRuns: 1, seed: 7 })[0];
    bodies.set(operation, body);
  }
  return structuredClone(body);
}

/** The well-formed bodies by operation. Generating one takes milliseconds, and the tests need each of them hundreds of times. */
const bodies = new WeakMap<Operation, unknown>();

function withEverything(schema: Schema): Schema {
  const { properties, items, allOf } = schema;
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => [name, withEverything(field)] as const,
  );
  return {
    ...schema,
    nullable: false,
    ...(properties ? { properties: Object.fromEntries(fields), required: Object.keys(properties) } : {}),
    ...(allOf ? { allOf: allOf.map(withEverything) } : {}),
    ...(items ? { items: withEverything(items), minItems: Math.max(schema.minItems ?? 0, 1) } : {}),
  };
}

export type Position = { path: (string | number)[]; schema: Schema };

/**
 * Returns the position of every value in a body: the body itself, its fields, and the first item of its arrays. If several records have the
 * same schema (such as the settings of nine games), only the first one is included.
 */
export function positionsOf(schema: Schema, path: Position['path'] = []): Position[] {
  const { properties = {}, items, allOf = [] } = schema;
  const forms = new Set<string>();
  const isKnown = (field: Schema) => {
    if (!field.properties && !field.allOf) return false;
    const form = JSON.stringify(field);
    return forms.has(form) || !forms.add(form);
  };
  return [
    { path, schema },
    ...allOf.flatMap((part) => positionsOf(part, path).slice(1)),
    ...Object.entries(properties).flatMap(([name, field]) =>
      isKnown(field) ? [{ path: [...path, name], schema: field }] : positionsOf(field, [...path, name]),
    ),
    ...(items ? positionsOf(items, [...path, 0]) : []),
  ];
}

/** Returns the positions whose parent exists in this body. */
export const positionsIn = (schema: Schema, body: any): Position[] =>
  positionsOf(schema).filter(
    ({ path }) => path.slice(0, -1).reduce((value, step) => value?.[step], body) !== undefined,
  );

/** Returns a copy of `body` with another value at one position. */
export function replaced(body: unknown, [step, ...rest]: Position['path'], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(body)) return [replaced(body[0], rest, value), ...body.slice(1)];
  // Creates the parent objects of a field that the body does not contain.
  const record = (body ?? {}) as Record<string, unknown>;
  return { ...record, [step]: replaced(record[step], rest, value) };
}

/** Identity providers redirect browsers here with additional parameters. The protocols require that these are ignored. */
export const TAKES_MORE = new Set(['GET /auth/google/callback', 'GET /auth/steam/return']);

export { MISREAD } from '../games/supplier-calls.ts';

/** Keeps every third case, starting at a different position in each group. A full run keeps all of them. */
export const inTurn = <T>(cases: readonly T[]): readonly T[] =>
  isFull ? cases : cases.filter((_, i) => (i + Math.floor(i / 3)) % 3 === 0);

/** Returns every sixth value, with a different first value for each place. A full run returns all values. */
export const shareOf = <T>(values: readonly T[], place: number): readonly T[] =>
  isFull ? values : values.filter((_, i) => (i + place) % 6 === 0);

/** Runs tasks concurrently, a few at a time. Returns their results in order. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = 8,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
