import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromUnits, toUnits } from './amounts.ts';
import { type BetSeen, type Guest, type Operator, Skip } from './operator.ts';

type Options = {
  url: string;
  /** The platform's DEBUG_TOKEN. */
  debugToken: string;
  /** The provider's slug on the platform. Undefined for the sportsbook, which has no launch. */
  provider: string | undefined;
  /** The provider's games, if they are already known. */
  games?: readonly Game[];
};
/** `code` is the provider's game code. */
export type Game = { slug: string; code: string };
type Body = Record<string, unknown>;
type Asked = { token?: string; body?: object; headers?: Record<string, string> };
type Account = { id: number; token: string; game: Game; headers: Record<string, string> };

const STATUSES = ['CREATED', 'SETTLED', 'ROLLBACK'];
/** IP addresses, keyed by country. */
const ADDRESSES: Readonly<Record<string, string>> = { DE: '193.99.144.80' };
const NO_GAME: Game = { slug: '', code: '' };

/** Controls a platform in the environment `local` or `test` through its public, debug and staff operations. */
export function createPlatformOperator(options: Options): Operator {
  const { url, debugToken } = options;
  const accounts = new Map<string, Account>();
  const ask = (method: string, path: string, asked: Asked = {}, allowed: number[] = []) =>
    askAt(url + path, method, asked, allowed);
  const signIn = async (rights: object, headers: Record<string, string> = {}): Promise<Account> => {
    const username = `cf_${randomBytes(8).toString('hex')}`;
    const trusted = { ...headers, 'x-debug-token': debugToken };
    const { id } = await ask('POST', '/debug/user/create', {
      headers: trusted,
      body: { username, ...rights },
    });
    const { accessToken } = await ask('POST', `/debug/auth/login/${username}`, { headers: trusted });
    return { id: Number(id), token: (accessToken as { token: string }).token, game: NO_GAME, headers };
  };
  let boss: Promise<Account> | undefined;
  const asStaff = async (method: string, path: string, body?: object): Promise<Body> => {
    boss ??= signIn({ roles: ['SUPERADMIN'] });
    const { token } = await boss;
    return ask(method, path, { token, ...(body ? { body } : {}) });
  };
  let found: Promise<readonly Game[]> | undefined;
  const games = () =>
    (found ??= options.games ? Promise.resolve(options.games) : findGames(options.provider!, asStaff));
  const accountOf = ({ handle }: Guest) => accounts.get(handle)!;
  const as = ({ token, headers }: Account, body?: object): Asked => ({
    token,
    headers,
    ...(body ? { body } : {}),
  });

  async function launch(account: Account, currencyId: string): Promise<string> {
    const body = await ask('POST', `/casino/games/${account.game.slug}/launch`, as(account, { currencyId }));
    return String(body.sessionToken);
  }

  return {
    async newGuest({ cash, currency, game, country }) {
      const headers: Record<string, string> = country ? { 'x-forwarded-for': ADDRESSES[country]! } : {};
      if (country && (await ask('GET', '/geo', { headers })).countryCode !== country)
        throw new Skip('the platform believes no proxy about where a player is (TRUSTED_PROXIES)');
      const account = await signIn({ balances: [{ currencyId: currency, amount: cash }] }, headers);
      const handle = String(account.id);
      accounts.set(handle, account);
      const seat = { playerId: handle, token: '', currency, gameCode: '' };
      if (options.provider === undefined) return { handle, seat };
      account.game = (await games())[game === 'second' ? 1 : 0]!;
      return {
        handle,
        seat: { ...seat, token: await launch(account, currency), gameCode: account.game.code },
      };
    },
    async endSession(guest) {
      await launch(accountOf(guest), guest.seat.currency);
    },
    async deposit({ handle, seat }, amount) {
      const body = {
        externalId: randomUUID(),
        status: 'COMPLETED',
        payAddress: 'conformance',
        currencyId: seat.currency,
        networkId: 'tron',
        amount,
        txHash: randomUUID(),
        occurredAt: new Date().toISOString(),
      };
      await ask('POST', `/debug/deposit/${handle}`, { body });
    },
    async withdraw(guest, amount) {
      const body = { currencyId: guest.seat.currency, amount };
      await ask('POST', '/accounting/to-vault', as(accountOf(guest), body));
    },
    async ban({ handle }) {
      await asStaff('PATCH', `/admin/user/${handle}/ban`, { banReason: 'conformance' });
    },
    async exclude(guest) {
      await ask('POST', '/user-limits/self-exclusion', as(accountOf(guest), { durationDays: 1 }));
    },
    async limitWager(guest, amount) {
      const body = { type: 'WAGER', period: 'DAY', amount };
      await ask('POST', '/user-limits/gambling-limits', as(accountOf(guest), body));
    },
    async wagered(guest) {
      const { limits } = await ask('GET', '/user-limits/gambling-limits', as(accountOf(guest)));
      const own = (limits as { type: string; usage: { used: string } }[]).find(
        ({ type }) => type === 'WAGER',
      );
      return own!.usage.used;
    },
    async setGame(guest, enabled) {
      await asStaff('POST', `/admin/casino/games/${accountOf(guest).game.slug}`, { enabled });
    },
    async setPlay(isPlayOpen) {
      await asStaff('PATCH', '/admin/config/COMMON', { isPlayOpen });
    },
    async setCountry(code, isOpen) {
      await asStaff('PATCH', `/admin/country/${code}`, { isBlocked: !isOpen });
    },
    async bets(guest) {
      const asked = as(accountOf(guest));
      const pages = await Promise.all(
        STATUSES.map(async (status) => {
          const { data } = await ask('GET', `/bets?status=${status}`, asked);
          return (data as BetSeen[]).map(({ amount, payout }) => ({ status, amount, payout }));
        }),
      );
      return pages.flat();
    },
    async houseBet(guest, betAmount) {
      const body = { currencyId: guest.seat.currency, betAmount, threshold: 50, above: true };
      const answer = await ask('POST', '/casino/games/house/dice/bet', as(accountOf(guest), body), [400]);
      if (answer.code === 'INSUFFICIENT_BALANCE') return undefined;
      return fromUnits(toUnits(String(answer.payout)) - toUnits(betAmount));
    },
    async sportsbookToken(guest) {
      const query = `currencyId=${guest.seat.currency}`;
      const { token } = await ask('GET', `/sportsbook/external/token?${query}`, as(accountOf(guest)));
      const { publicKey, kid } = await ask('GET', '/sportsbook/external/auth/public-key');
      return { token: String(token), publicKey: String(publicKey), kid: String(kid) };
    },
  };
}

/** Returns two playable games of the provider, with the provider's codes for them. If there are fewer, imports the catalogue. */
async function findGames(
  provider: string,
  asStaff: (method: string, path: string) => Promise<Body>,
): Promise<Game[]> {
  for (let tries = 1; ; tries++) {
    const games = await listGames(provider, asStaff);
    if (games.length >= 2) return games;
    if (tries > MOST_TRIES) throw new Error(`${provider} needs two playable games`);
    if (tries === 1) await asStaff('POST', '/admin/casino/games/hydrate');
    await sleep(1000);
  }
}

async function listGames(
  provider: string,
  asStaff: (method: string, path: string) => Promise<Body>,
): Promise<Game[]> {
  const { data: providers } = await asStaff('GET', `/admin/casino/games/providers?take=30`);
  const own = (providers as { id: number; slug: string }[]).find(({ slug }) => slug === provider);
  if (!own) throw new Error(`the platform has no provider ${provider}`);
  const { data } = await asStaff('GET', `/admin/casino/games/all?providerId=${own.id}&enabled=true&take=2`);
  return (data as { slug: string; originalSlug: string }[]).map(({ slug, originalSlug: code }) => ({
    slug,
    code,
  }));
}

const MOST_TRIES = 30;

/** Throws if the response status is neither 2xx nor in `allowed`. Waits and retries after rate limiting. */
async function askAt(
  url: string,
  method: string,
  { token, body, headers }: Asked,
  allowed: number[] = [],
): Promise<Body> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.status === 429 && tries < MOST_TRIES) {
      await sleep(1000 * Number(answer.headers.get('retry-after') ?? 1));
      continue;
    }
    if (answer.ok || allowed.includes(answer.status)) return text ? (JSON.parse(text) as Body) : {};
    throw new Error(`${method} ${new URL(url).pathname} answered ${answer.status} ${text.slice(0, 300)}`);
  }
}
