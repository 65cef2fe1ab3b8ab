import { sql } from 'kysely';
import { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object } from '../../../../http/schemas.ts';
import type { DatabaseClock } from '../../../../platform/database/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { getUser } from '../../../base/users/service.ts';
import type { Countries, PlayerCountries } from '../../../compliance/countries/service.ts';
import { gateErrors, moneyInErrors } from '../../../compliance/gate/errors.ts';
import { findRestrictions, type Gate } from '../../../compliance/gate/service.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { createSession } from '../engine/sessions.ts';
import { remainingOf } from './rules.ts';
import { PlayerPath, SportsbookBalance, sportsbookErrors } from './schemas.ts';
import { balancesIn, getUserId, type Sportsbook, sportsbookCall } from './service.ts';

export type PlayerDeps = {
  db: Db;
  databaseClock: DatabaseClock;
  gate: Pick<Gate, 'assertMay'>;
  currencies: Pick<Currencies, 'get' | 'list' | 'ids'>;
  countries: Pick<Countries, 'countryOf'>;
  playerCountries: Pick<PlayerCountries, 'of'>;
  sportsbook: Sportsbook;
};

const TOKEN_SECONDS = 300;

export const issuePlayerToken = operation({
  method: 'GET',
  path: '/sportsbook/external/token',
  tag: 'Sportsbook external',
  access: 'auth',
  gate: 'bet',
  hasSideEffect: true,
  summary: 'Get a token that opens the sportsbook',
  description: 'The token is valid for five minutes.',
  query: z.strictObject({
    currencyId: CurrencyId,
    language: z
      .string()
      .regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'needs a language such as "en" or "pt-BR"')
      .default('en'),
  }),
  response: z.object({ token: z.string() }),
  errors: [
    ...moneyInErrors,
    gateErrors.PLAY_STOPPED,
    bettingErrors.GAME_DISABLED,
    commonErrors.CURRENCY_NOT_FOUND,
  ],
  async handler(deps: PlayerDeps, { user, ip, query: { currencyId, language } }) {
    const { db, databaseClock, currencies, countries, sportsbook } = deps;
    if (!sportsbook.game.get().isPlayable) throw bettingErrors.GAME_DISABLED();
    currencies.get(currencyId);
    const country = countries.countryOf(ip);
    await transaction(db, (tx) => launch(tx, deps, { user, currencyId, ip }));
    const { country_code } = await getUser(db, user.id);
    const iat = Math.floor(databaseClock.now() / 1000);
    const token = await sportsbook.keys.sign({
      externalUserId: String(user.id),
      defaultCurrency: currencyId,
      country: country ?? country_code ?? '',
      language,
      iat,
      exp: iat + TOKEN_SECONDS,
    });
    return { token };
  },
});

const SportsbookLimits = object('SportsbookLimits', {
  wagerRemaining: Decimal.nullable().meta({ description: 'In US dollars. Null if there is no limit.' }),
  lossRemaining: Decimal.nullable().meta({ description: 'In US dollars. Null if there is no limit.' }),
});

const playerErrors = [commonErrors.API_KEY_INVALID, sportsbookErrors['error.user.not-found']];

export const getPlayer = operation({
  ...sportsbookCall,
  method: 'GET',
  path: '/sportsbook/external/players/{playerId}',
  summary: 'Get a player and whether they can bet',
  params: PlayerPath,
  response: object('SportsbookPlayer', {
    id: z.string(),
    username: z.string(),
    currency: z.string(),
    country: z.string(),
    language: z.string(),
    isBlocked: z.boolean(),
    isExcluded: z.boolean(),
    limits: SportsbookLimits,
  }),
  errors: playerErrors,
  async handler({ db, databaseClock, currencies, sportsbook }: PlayerDeps, { params: { playerId } }) {
    const userId = await getUserId(db, playerId);
    const [user, restrictions, currency] = [
      await getUser(db, userId),
      await findRestrictions(db, userId),
      await currencyOf(db, userId, sportsbook.game.get().providerId),
    ];
    const now = new Date(databaseClock.now());
    const isAhead = (until: Date | null | undefined) => until != null && until > now;
    return {
      id: playerId,
      username: user.username ?? '',
      currency: currency ?? currencies.list()[0]?.id ?? '',
      country: user.country_code ?? '',
      language: user.language ?? 'en',
      isBlocked: user.banned_at !== null,
      isExcluded: isAhead(restrictions?.excludedUntil) || isAhead(restrictions?.playFrom),
      limits: remainingOf(restrictions, now),
    };
  },
});

export const listBalances = operation({
  ...sportsbookCall,
  method: 'GET',
  path: '/sportsbook/external/wallet/{playerId}/balances',
  summary: "List a player's balances",
  description: 'Without `currencies`, lists every currency that the player has ever had.',
  params: PlayerPath,
  query: z.strictObject({ currencies: z.array(z.string()).max(100).optional() }),
  response: z.array(SportsbookBalance),
  errors: playerErrors,
  handler: (deps: PlayerDeps, { params, query }) => balancesIn(deps, params.playerId, query.currencies),
});

/** Returns the currency of the player's last launch. */
async function currencyOf(db: Db, userId: number, providerId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('provider_sessions')
    .select('currency_id')
    .where('user_id', '=', userId)
    .where('provider_id', '=', providerId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.currency_id;
}

type Launch = { user: SessionUser; currencyId: string; ip: string };

/** Stores a session with the countries that apply to its bets. A player's page requests a token every few minutes. */
async function launch(tx: Tx, deps: PlayerDeps, { user, currencyId, ip }: Launch): Promise<void> {
  const { gate, sportsbook, playerCountries } = deps;
  const { id: gameId, providerId } = sportsbook.game.get();
  const country = deps.countries.countryOf(ip);
  const countries = await playerCountries.of(tx, { userId: user.id, ip });
  await gate.assertMay(tx, { action: 'bet', userId: user.id, country });
  const { rows } = await sql`select from (
      select * from provider_sessions where user_id = ${user.id} and provider_id = ${providerId} order by id desc limit 1) last
    where currency_id = ${currencyId} and session_id = ${user.sessionId}::uuid and coalesce(countries, country) is not distinct from ${countries}
      and ended_at is null and expires_at > now() + interval '1 hour'`.execute(tx);
  if (rows.length > 0) return;
  const session = { userId: user.id, providerId, gameId, currencyId, country, countries };
  await createSession(tx, { ...session, sessionId: user.sessionId, device: 'DESKTOP' });
}
