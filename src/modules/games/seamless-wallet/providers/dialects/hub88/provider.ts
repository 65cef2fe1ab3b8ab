import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { z } from 'zod';
import { NotSent, type OutboundRequest } from '../../../../../../platform/net/outbound.ts';
import type { Policy } from '../../../engine/call.ts';
import type { ReportedTransaction } from '../../../engine/rules.ts';
import type {
  FreeRounds,
  FreeRoundsOrder,
  GameProvider,
  LaunchRequest,
  SupplierGame,
} from '../../provider.ts';
import { wireInteger } from '../body.ts';
import {
  ask,
  askToWithdraw,
  type Currencies,
  codeOf,
  connect,
  type DialectDeps,
  imagesOf,
  LIST_BYTES,
  percentOf,
  reported,
} from '../client.ts';
import { HUB88_DECIMALS, integerOf, kindOf, providerUnitsOf, unitsOf } from '../rules.ts';
import { ACTIONS, answerHub88, type Hub88Context, readHub88 } from './callback.ts';
import { Games, Launched, Prepaids, Report, Reward, Rewards } from './schemas.ts';

const POLICY: Policy = {
  // Repeated calls get the stored response unchanged.
  repeatShows: 'then',
  // Rollbacks arrive up to days later and are repeated until they are accepted (case 40).
  rollsBackEnded: true,
  // Wins can be rolled back, too (case 41).
  rollsBackWins: true,
  rollsBackWon: true,
  // Hub88 has a separate status for a bet that arrives after its rollback.
  tombstone: 'ROLLED_BACK',
  // A win without reference_transaction_uuid is rejected (case 43).
  winsName: true,
};

const API = '/operator/generic/v2';
/** Hub88 allows one request for the list per this interval. */
const LIST_EVERY_MS = 60_000;

/** A provider that uses Hub88's Wallet API and Operator API. */
export function createHub88(deps: DialectDeps): GameProvider {
  const { settings, currencies, clock } = deps;
  const { api, books } = connect(deps);
  const isSigned = createVerifier(settings.publicKeys);
  const sign = createSigner(settings.privateKey!);
  const operatorId = /^\d{1,15}$/.test(settings.operatorId)
    ? Number(settings.operatorId)
    : settings.operatorId;
  const signed = (path: string, fields: object): OutboundRequest => {
    const body = JSON.stringify({ operator_id: operatorId, ...fields });
    const headers = { 'content-type': 'application/json', 'x-hub88-signature': sign(body) };
    return { method: 'POST', path: `${API}${path}`, headers, body, limitBytes: LIST_BYTES };
  };
  const post = <S extends z.ZodType>(
    path: string,
    fields: object,
    schema: S,
    from = api,
  ): Promise<z.output<S>> => ask(from, signed(path, fields), schema);
  const list = onceIn(LIST_EVERY_MS, clock, async () =>
    (await post('/game/list', {}, Games)).filter(({ enabled }) => enabled !== false).map(gameOf),
  );
  return {
    slug: settings.slug,
    dialect: 'hub88',
    currencies: settings.currencies,
    launchOrigins: settings.launchOrigins,
    policy: POLICY,
    actions: ACTIONS,
    verify: (raw, headers) => isSigned(raw, headers['x-hub88-signature']),
    read: (action, raw) => readHub88(action, raw, currencies),
    answer: (action, answer, context) =>
      answerHub88(action, { answer, context: context as Hub88Context | undefined, currencies }),
    launch: (request) => post('/game/url', launchFields(request, currencies), Launched),
    list,
    freeRounds: createRewards({
      post,
      withdraw: (path, fields) => askToWithdraw(api, signed(path, fields)),
      currencies,
    }),

    async report(from, to) {
      const between = { start_time: from.toISOString(), end_time: to.toISOString() };
      const transactions = await post('/transactions/list', between, Report, books);
      return transactions.map((one) => transactionOf(one, currencies));
    },
  };
}

function launchFields(request: LaunchRequest, currencies: Currencies) {
  const { gameCode, player, language, device, ip, lobbyUrl } = request;
  const common = {
    game_code: gameCode,
    platform: device === 'MOBILE' ? 'GPL_MOBILE' : 'GPL_DESKTOP',
    lang: language,
    ip,
    lobby_url: lobbyUrl,
  };
  if (!player) return { ...common, currency: 'XXX' };
  return {
    ...common,
    user: String(player.userId),
    token: player.token,
    currency: codeOf(currencies, player.currencyId),
    ...(player.country === null ? {} : { country: player.country }),
  };
}

const VOLATILITIES = ['LOW', 'LOW', 'MEDIUM', 'HIGH', 'HIGH'] as const;

function gameOf(game: z.output<typeof Games>[number]): SupplierGame {
  return {
    code: game.game_code,
    name: game.name,
    ...kindOf(game.category),
    images: imagesOf(game.url_thumb, game.url_background),
    currencies: null,
    blockedCountries: game.blocked_countries ?? [],
    description: null,
    rtp: percentOf(game.rtp),
    volatility: VOLATILITIES[(game.volatility ?? 0) - 1] ?? null,
    maxWinMultiplier: game.max_win_multiplier ?? null,
    hasDemo: game.demo_game_support === true,
    hasFreeSpins: game.freebet_support === true,
  };
}

/** Reads the list at most once per interval and returns the previous result in the meantime. Throws NotSent if the previous read failed. */
function onceIn<T>(everyMs: number, clock: { now(): number }, read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined;
  return async () => {
    if (last && clock.now() - last.at < everyMs)
      return last.answer.catch((error: unknown) => {
        throw new NotSent('was requested less than a minute ago', { cause: error });
      });
    last = { at: clock.now(), answer: read() };
    return last.answer;
  };
}

function transactionOf(one: z.output<typeof Report>[number], currencies: Currencies): ReportedTransaction {
  const currency = currencies.byCode(one.currency);
  const given = integerOf(one.amount);
  const scale = { factor: currency?.factor ?? '1', decimals: HUB88_DECIMALS };
  return {
    transactionId: one.transaction_uuid,
    type: one.transaction_type,
    playerId: one.user,
    currencyId: currency?.ours ?? one.currency,
    amount: reported(given === undefined ? given : unitsOf(given, scale), one.transaction_uuid),
    round: one.round ?? null,
    gameCode: one.game_code ?? null,
    at: new Date(one.created_at),
    state: one.status,
    isRoundClosed: one.round_closed ?? null,
    reference: one.reference_transaction_uuid ?? null,
    isFree: one.is_free ?? null,
  };
}

/** Verifies base64-encoded RSA PKCS#1 v1.5 signatures with SHA-256, made with any of the keys. Each key is parsed only once. */
function createVerifier(pems: readonly string[]) {
  const keys = pems.map((pem) => createPublicKey(pem));
  return (raw: Buffer, header: string | string[] | undefined): boolean => {
    // If a header was sent twice, Node joins the values with a comma.
    if (typeof header !== 'string' || !/^[A-Za-z0-9+/]{1,2000}={0,2}$/.test(header)) return false;
    const signature = Buffer.from(header, 'base64');
    if (signature.toString('base64') !== header) return false;
    return keys.some((key) => verify('sha256', raw, key, signature));
  };
}

function createSigner(pem: string): (text: string) => string {
  const key: KeyObject = createPrivateKey(pem);
  return (text) => sign('sha256', Buffer.from(text), key).toString('base64');
}

type Post = <S extends z.ZodType>(path: string, fields: object, schema: S) => Promise<z.output<S>>;
type Withdraw = (path: string, fields: object) => Promise<void>;

/** Maximum number of a player's rewards that are searched to find ours. */
const MAX_REWARDS = 1000;

/**
 * Free rounds through Hub88's Freebets API. Each order creates a reward from one of the game's templates (prepaids), with our reference.
 */
function createRewards(parts: { post: Post; withdraw: Withdraw; currencies: Currencies }): FreeRounds {
  const { post, withdraw, currencies } = parts;
  /** Hub88 assigns the reward's id. After a timeout the id is unknown, so the reward is found by our reference. */
  async function find({ id, userId }: FreeRoundsOrder): Promise<string | undefined> {
    const wanted = { user: String(userId), pagination: { limit: MAX_REWARDS } };
    const { rewards } = await post('/freebet/rewards/list', wanted, Rewards);
    return rewards.find(({ operator_reference }) => operator_reference === id)?.reward_uuid;
  }

  async function create(order: FreeRoundsOrder): Promise<string> {
    const { id, userId, currencyId, gameCode, rounds, bet, validUntil } = order;
    const currency = codeOf(currencies, currencyId);
    const { factor } = currencies.byOurs(currencyId)!;
    const value = providerUnitsOf(bet, { factor, decimals: HUB88_DECIMALS });
    const prepaids = await post('/freebet/prepaids/list', { game_code: gameCode }, Prepaids);
    const prepaid = prepaids.find(
      (one) =>
        one.game_code === gameCode &&
        one.currency === currency &&
        (one.bet_value == null || integerOf(one.bet_value) === value) &&
        (one.bet_count == null || one.bet_count === rounds),
    );
    if (!prepaid) throw new NotSent(`has no prepaid of ${rounds} rounds on ${gameCode} in ${currency}`);
    const reward = {
      user: String(userId),
      prepaid_uuid: prepaid.prepaid_uuid,
      game_code: gameCode,
      currency,
      bet_value: wireInteger(value),
      bet_count: rounds,
      end_time: validUntil.toISOString(),
      operator_reference: id,
    };
    return (await post('/freebet/rewards/create', reward, Reward)).reward_uuid;
  }

  return {
    endBy: 'ROUNDS',
    give: async (order) => (await find(order)) ?? (await create(order)),
    async withdraw(order, reference) {
      const reward_uuid = reference ?? (await find(order));
      if (reward_uuid !== undefined) await withdraw('/freebet/rewards/cancel', { reward_uuid });
    },
  };
}
