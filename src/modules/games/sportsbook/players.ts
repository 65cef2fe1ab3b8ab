import { sql } from 'kysely';
import type { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { getUser } from '../../base/users/service.ts';
import type { Countries } from '../../compliance/countries/service.ts';
import { findRestrictions, type Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { bettingErrors } from '../betting/errors.ts';
import { createSession } from '../provider-wallets/launch/sessions.ts';
import { userIdOf } from '../provider-wallets/rules.ts';
import { sportsbookErrors } from './errors.ts';
import type { SportsbookGame } from './game.ts';
import type { createSigningKeys } from './keys.ts';
import { remainingOf } from './rules.ts';
import type { PlayerTokenQuery, SportsbookBalance, SportsbookPlayer } from './schemas.ts';

type Deps = {
  db: Db;
  databaseClock: DatabaseClock;
  gate: Pick<Gate, 'assertMay'>;
  currencies: Pick<Currencies, 'get' | 'list' | 'ids'>;
  countries: Pick<Countries, 'countryOf'>;
  game: SportsbookGame;
  keys: ReturnType<typeof createSigningKeys>;
};
type Balance = z.input<typeof SportsbookBalance>;

const TOKEN_SECONDS = 300;

/** Who plays at the sportsbook: their token, and what the sportsbook may know of them. */
export function createSportsbookPlayers(deps: Deps) {
  const { db, databaseClock, game, keys, currencies } = deps;
  return {
    /** A launch. Throws 409 GAME_DISABLED, 404 CURRENCY_NOT_FOUND and what the gate says. */
    async issueToken(
      { user, ip }: { user: SessionUser; ip: string },
      { currencyId, language }: z.output<typeof PlayerTokenQuery>,
    ): Promise<{ token: string }> {
      if (!game.get().isPlayable) throw bettingErrors.GAME_DISABLED();
      currencies.get(currencyId);
      const country = deps.countries.countryOf(ip);
      await transaction(db, (tx) => launch(tx, deps, { user, currencyId, country }));
      const { country_code } = await getUser(db, user.id);
      const iat = Math.floor(databaseClock.now() / 1000);
      const token = await keys.sign({
        externalUserId: String(user.id),
        defaultCurrency: currencyId,
        country: country ?? country_code ?? '',
        language,
        iat,
        exp: iat + TOKEN_SECONDS,
      });
      return { token };
    },

    /** Throws error.user.not-found. */
    async get(playerId: string): Promise<z.input<typeof SportsbookPlayer>> {
      const userId = await getUserId(db, playerId);
      const [user, restrictions, currency] = [
        await getUser(db, userId),
        await findRestrictions(db, userId),
        await currencyOf(db, userId, game.get().providerId),
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

    /** What a player has in these currencies; of all that they ever had where none is named. Throws error.user.not-found. */
    async balances(playerId: string, wanted: readonly string[] | undefined): Promise<Balance[]> {
      const held = await balancesOf(db, await getUserId(db, playerId));
      if (!wanted) return held.map(({ currencyId, cash }) => balanceOf(currencyId, cash));
      const known = new Set(currencies.ids());
      return [...new Set(wanted)]
        .filter((id) => known.has(id))
        .map((id) => balanceOf(id, held.find(({ currencyId }) => currencyId === id)?.cash ?? 0n));
    },
  };
}

export const balanceOf = (currency: string, cash: Units): Balance => ({
  currency,
  cash: formatUnits(cash),
  locked: '0',
  bonus: '0',
});

async function getUserId(db: Db, playerId: string): Promise<number> {
  const userId = userIdOf(playerId);
  const player =
    userId !== undefined &&
    (await db.selectFrom('players').select('user_id').where('user_id', '=', userId).executeTakeFirst());
  if (!player) throw sportsbookErrors['error.user.not-found']();
  return player.user_id;
}

/** That of their last launch. */
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

type Launch = { user: SessionUser; currencyId: string; country: string | null };

/** A session is kept of it: bets are asked of the gate with its country. A player's page asks for a token every few minutes. */
async function launch(tx: Tx, { gate, game }: Deps, { user, currencyId, country }: Launch): Promise<void> {
  const { id: gameId, providerId } = game.get();
  await gate.assertMay(tx, { action: 'bet', userId: user.id, country });
  const { rows } = await sql`select from (
      select * from provider_sessions where user_id = ${user.id} and provider_id = ${providerId} order by id desc limit 1) last
    where currency_id = ${currencyId} and session_id = ${user.sessionId}::uuid and country is not distinct from ${country}
      and ended_at is null and expires_at > now() + interval '1 hour'`.execute(tx);
  if (rows.length > 0) return;
  const session = { userId: user.id, providerId, gameId, currencyId, country, sessionId: user.sessionId };
  await createSession(tx, { ...session, device: 'DESKTOP' });
}
