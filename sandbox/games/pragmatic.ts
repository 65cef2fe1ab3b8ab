import { createHash, randomBytes, randomInt } from 'node:crypto';
import { type Endpoint, json, type SandboxAnswer, type SandboxRequest, secretOf } from '../endpoint.ts';
import { parseNumbersAsText } from '../payments-dialect.ts';
import { fixed, readAmount } from './amounts.ts';
import { type Game, KINDS } from './catalogue.ts';
import {
  again,
  behaving,
  type Desk,
  launch,
  listed,
  missing,
  type Operation,
  type Reply,
  type Speech,
  type Verdict,
} from './dialect.ts';
import { pragmaticFreeRounds } from './free-rounds/pragmatic.ts';

const BASE = '/games/pragmatic';
const DIALECT = 'pragmatic';
const HOOKS = '/webhooks/games/sandbox-pragmatic';
const PROVIDER_ID = 'sandbox';
const LOGIN = 'sandbox';
const DECIMALS = 2;
const CURRENCIES = { USDT: DECIMALS, USD: DECIMALS, EUR: DECIMALS, BTC: DECIMALS, ETH: DECIMALS };
const MOST_ROWS = 10_000;
const HEADS =
  'extPlayerID,gameID,roundID,timestamp,referenceID,type,amount,currency,status,roundStatus,originalReferenceID';
/** Letters for transaction types in the data feed. */
const LETTERS: Readonly<Record<string, string>> = {
  BET: 'B',
  WIN: 'W',
  ROLLBACK: 'R',
  FREE_SPIN_WIN: 'F',
  PROMO_WIN: 'P',
  JACKPOT: 'J',
  ADJUSTMENT: 'A',
};

const secret = () => secretOf('SANDBOX_PRAGMATIC_SECRET', 'sandbox-pragmatic-secret');

/** Returns the hex MD5 of the fields, sorted by name, followed by the secret. */
export function hashOf(fields: Readonly<Record<string, string>>, key: string): string {
  const base = Object.keys(fields)
    .filter((name) => name !== 'hash')
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  return createHash('md5')
    .update(base + key)
    .digest('hex');
}

/** The provider's implementation of Pragmatic Play's protocol. */
export function pragmatic(desk: Desk): Speech {
  return {
    dialect: DIALECT,
    slug: 'sandbox-pragmatic',
    currencies: CURRENCIES,
    endpoints: endpointsOf(desk),
    newId: () => randomBytes(12).toString('hex'),
    newRoundId: () => `${Date.now()}${randomInt(1e5)}`,
    rollbackId: (betId) => betId,
    message(operation, isForged) {
      const [path, fields] = callOf(operation);
      const hash = hashOf(fields, isForged ? 'another-secret' : secret());
      const body = new URLSearchParams({ ...fields, hash }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return { path: `${HOOKS}/${path}`, body, headers };
    },
    judge,
    betTries: 1,
    finalRefusals: ['1', '3', '50', '120', '310'],
    endsByMessage: true,
    freeRounds: 'BETS_AND_SUM',
  };
}

function callOf({ kind, session, roundId, transactions }: Operation): [string, Record<string, string>] {
  const { player, gameCode } = session;
  const timestamp = String(Date.now());
  if (kind === 'AUTHENTICATE')
    return ['authenticate.html', { token: player!.token, providerId: PROVIDER_ID, gameId: gameCode }];
  const [first, second] = transactions;
  const about = { userId: first?.playerId ?? player!.id, providerId: PROVIDER_ID, token: player!.token };
  if (kind === 'BALANCE') return ['balance.html', about];
  const inRound = { ...about, gameId: gameCode, roundId: roundId ?? '' };
  if (kind === 'END') return ['endRound.html', inRound];
  const isWithPromo = transactions.length === 2 && first!.type === 'WIN' && second!.type === 'PROMO_WIN';
  if (transactions.length !== 1 && !isWithPromo)
    throw new Error('pragmatic accepts one transaction at a time, or a win and its promo part');
  const { type, id, isFree } = first!;
  const amount = fixed(first!.amount, DECIMALS);
  const money = { ...about, timestamp, reference: id, amount };
  const bonusCode = first!.award ?? 'sandbox-bonus';
  const free: Record<string, string> = isFree ? { bonusCode } : {};
  const inGame = { ...money, gameId: gameCode, roundId: roundId ?? '', roundDetails: 'spin', ...free };
  if (type === 'BET') return ['bet.html', inGame];
  if (type === 'WIN') {
    const promo: Record<string, string> = second
      ? {
          promoWinAmount: fixed(second.amount, DECIMALS),
          promoWinReference: second.id,
          promoCampaignID: '1',
          promoCampaignType: 'T',
        }
      : {};
    return ['result.html', { ...inGame, ...promo }];
  }
  if (type === 'ROLLBACK') return ['refund.html', { ...inRound, timestamp, reference: first!.reference! }];
  if (type === 'FREE_SPIN_WIN') return ['bonusWin.html', { ...money, gameId: gameCode, bonusCode }];
  if (type === 'JACKPOT') return ['jackpotWin.html', { ...inGame, jackpotId: '1' }];
  if (type === 'PROMO_WIN')
    return ['promoWin.html', { ...money, campaignId: '1', campaignType: 'T', currency: player!.currency }];
  if (type === 'ADJUSTMENT')
    return ['adjustment.html', { ...inRound, timestamp, reference: id, amount, validBetAmount: '0.00' }];
  throw missing(DIALECT, type);
}

function judge({ status, body }: Reply, { kind, transactions }: Operation): Verdict {
  if (status !== 200) return again(`HTTP ${status}`);
  const answer = parseNumbersAsText(body) as Record<string, string>;
  const code = String(answer.error);
  const balance = answer.cash === undefined ? null : readAmount(answer.cash);
  if (code === '0') return { kind: 'done', code, balance };
  if (!/^\d+$/.test(code) || code === '100') return again(code);
  // The first response to a bet is final. Other messages are repeated until they are accepted or finally rejected.
  const repeats = kind === 'END' || ['WIN', 'ROLLBACK'].includes(transactions[0]?.type ?? '');
  return { kind: repeats && code !== '120' ? 'again' : 'refused', code, balance };
}

function endpointsOf(desk: Desk): Endpoint[] {
  type Fields = Record<string, string>;
  const hashedIn =
    (fieldsOf: (request: SandboxRequest) => URLSearchParams) =>
    (handle: (fields: Fields, body: string) => SandboxAnswer): Endpoint['handle'] =>
    (request) => {
      const fields = Object.fromEntries(fieldsOf(request));
      const isOurs = fields.hash === hashOf(fields, secret()) && fields.secureLogin === LOGIN;
      return isOurs ? handle(fields, request.body) : problem('5', 'Invalid hash code');
    };
  const hashed = hashedIn(({ body }) => new URLSearchParams(body));
  const hashedQuery = hashedIn(({ query }) => query);
  return [
    {
      method: 'POST',
      path: `${BASE}/game/url/`,
      about: 'Pragmatic Play: returns the URL of a game, with playMode REAL or DEMO. A form with its hash.',
      example: 'secureLogin=sandbox&symbol=seven-orchards&language=en&playMode=DEMO&lobbyUrl=…&hash=…',
      handle: behaving(
        desk,
        'launch',
        hashed((fields) => open(desk, fields)),
      ),
    },
    {
      method: 'POST',
      path: `${BASE}/getCasinoGames/`,
      about: 'Pragmatic Play: lists all games. A form with its hash.',
      example: 'secureLogin=sandbox&hash=…',
      handle: behaving(
        desk,
        'other',
        hashed(() => {
          const gameList = listed(desk, DIALECT).map((game) => shownGame(game));
          return json(200, { error: '0', description: 'OK', gameList });
        }),
      ),
    },
    {
      method: 'GET',
      path: `${BASE}/DataFeeds/transactions/`,
      about:
        'Pragmatic Play: returns the transactions since timepoint (ms) as CSV. Requires login and password.',
      handle: behaving(desk, 'other', ({ query }) =>
        query.get('login') === LOGIN && query.get('password') === secret()
          ? feed(desk, Number(query.get('timepoint') ?? 0))
          : problem('5', 'Invalid login'),
      ),
    },
    ...pragmaticFreeRounds(desk, { base: BASE, currencies: CURRENCIES, hashed, hashedQuery }),
  ];
}

function open(desk: Desk, fields: Record<string, string>): SandboxAnswer {
  const { symbol, token, externalPlayerId, currency, language, playMode, lobbyUrl } = fields;
  const isDemo = playMode === 'DEMO';
  if (!symbol || !lobbyUrl || (!isDemo && !(token && externalPlayerId && currency)))
    return problem('7', 'Bad parameters in the request');
  const player = isDemo ? undefined : { id: externalPlayerId!, token: token!, currency: currency! };
  const about = { gameCode: symbol, player, language: language ?? 'en', lobbyUrl };
  const opened = launch(desk, { dialect: DIALECT, currencies: CURRENCIES }, about);
  if (typeof opened === 'string') return problem('8', opened);
  return json(200, { error: '0', description: 'OK', gameURL: opened.url });
}

const shownGame = (game: Game) => ({
  gameID: game.code,
  gameName: game.name,
  gameTypeID: KINDS[game.kind].pragmatic,
  typeDescription: KINDS[game.kind].hub88,
  technology: 'html5',
  platform: 'MOBILE,WEB',
  demoGameAvailable: game.hasDemo,
  frbAvailable: game.hasFreeSpins,
  rtp: game.rtp === null ? null : game.rtp.toFixed(2),
  volatility: game.volatility,
  maxWin: game.maxWin,
  currencies: game.currencies,
  blockedCountries: game.blockedCountries,
  images: [],
});

/** Returns the data feed. Its first line contains the time from which the next request must start. */
function feed(desk: Desk, timepoint: number): SandboxAnswer {
  if (!Number.isSafeInteger(timepoint)) return problem('7', 'Bad parameters in the request');
  const all = desk.books.report(DIALECT, new Date(timepoint), new Date());
  // A response must not end between two transactions of the same millisecond.
  const last = all[MOST_ROWS]?.transaction.at.getTime();
  const found = last === undefined ? all : all.filter(({ transaction }) => transaction.at.getTime() < last);
  const rows = found.map(({ transaction, isRoundClosed }) =>
    [
      transaction.playerId,
      transaction.gameCode,
      transaction.roundId,
      transaction.at.getTime(),
      transaction.id,
      LETTERS[transaction.type],
      fixed(transaction.amount, DECIMALS),
      transaction.currency,
      transaction.state,
      isRoundClosed === null ? '' : isRoundClosed ? 'CLOSED' : 'OPEN',
      transaction.reference,
    ].join(','),
  );
  const next = found.length > 0 ? found.at(-1)!.transaction.at.getTime() + 1 : timepoint;
  return { status: 200, type: 'text/csv', body: [`timepoint=${next}`, HEADS, ...rows, ''].join('\n') };
}

const problem = (error: string, description: string): SandboxAnswer => json(200, { error, description });
