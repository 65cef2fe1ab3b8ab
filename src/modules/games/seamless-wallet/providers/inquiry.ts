import { sql } from 'kysely';
import type { Db } from '../../../../platform/database/db.ts';
import { readTogether } from '../../../../platform/limits/shared-read.ts';
import type { Units } from '../../../../platform/money.ts';
import { type BonusBooks, type BookTerms, playableOf, readBooks } from '../../../money/bonus/books.ts';
import { balancesOfMany } from '../../../money/ledger/balances.ts';
import { emptyResponse, type WalletCall, type WalletResponse } from '../engine/call.ts';

/** If `userId` is 0, the token's session identifies the player. */
type Inquiry = { userId: number; providerId: number; tokenHash: string | undefined; call: WalletCall };
type Found = {
  userId: number;
  username: string;
  country: string | null;
  /** The player of the token's session; null if there is no such session. */
  sessionUserId: number | null;
  sessionProviderId: number | null;
  isLive: boolean | null;
  currencyId: string | null;
  /** The game launched in the token's session or, without a token, in the player's newest session. */
  gameId: number | null;
  hasGrant: boolean;
  balance: Units;
};

type Deps = {
  db: Db;
  terms: BookTerms;
  findGame: (providerId: number, code: string) => { id: number } | undefined;
};

/** Returns a player's name and balance, without moving money or taking locks. Concurrent inquiries share one statement. */
export function createInquiry(deps: Deps) {
  const read = readTogether((inquiries: readonly Inquiry[]) => readAll(deps, inquiries));
  return async (inquiry: Inquiry): Promise<WalletResponse> => {
    const found = await read(inquiry);
    const { call } = inquiry;
    if (!found) return emptyResponse(inquiry.userId === 0 ? 'INVALID_TOKEN' : 'PLAYER_NOT_FOUND');
    if (call.needsSession || call.token !== undefined) {
      if (found.sessionUserId !== found.userId || found.sessionProviderId !== inquiry.providerId)
        return emptyResponse('INVALID_TOKEN');
      if (!found.isLive) return emptyResponse('TOKEN_EXPIRED');
    }
    if (found.currencyId === null) return emptyResponse('INVALID_CURRENCY');
    const { balance, currencyId, country, username } = found;
    const playerId = String(found.userId);
    return { ...emptyResponse('OK'), playerId, balance, currencyId, country, username };
  };
}

async function readAll(deps: Deps, inquiries: readonly Inquiry[]): Promise<Map<Inquiry, Found>> {
  const { db, findGame } = deps;
  const texts = (of: (one: Inquiry) => string | undefined) =>
    sql`${inquiries.map((one) => of(one) ?? null)}::text[]`;
  const numbers = (of: (one: Inquiry) => number) => sql`${inquiries.map(of)}::int4[]`;
  const { rows } = await sql<Omit<Found, 'balance'> & { place: number }>`
    select asked.place::int4 as place, u.id as "userId", u.username, u.country_code as country, s.user_id as "sessionUserId",
      s.provider_id as "sessionProviderId", s.ended_at is null and s.expires_at > now() and a.revoked_at is null as "isLive",
      chosen.currency_id as "currencyId", coalesce(s.game_id, latest.game_id) as "gameId", p.has_grant as "hasGrant"
    from unnest(${numbers((one) => one.userId)}, ${numbers((one) => one.providerId)}, ${texts((one) => one.tokenHash)},
      ${texts((one) => one.call.currencyId)}, ${texts((one) => one.call.round)})
      with ordinality asked(user_id, provider_id, token_hash, currency_id, round_ref, place)
    left join provider_sessions s on s.token_hash = decode(asked.token_hash, 'hex')
    left join sessions a on a.id = s.session_id
    join users u on u.id = coalesce(nullif(asked.user_id, 0), s.user_id)
    join players p on p.user_id = u.id
    left join lateral (select l.currency_id, l.game_id from provider_sessions l
      where s.token_hash is null and l.user_id = u.id and l.provider_id = asked.provider_id order by l.id desc limit 1) latest on true
    cross join lateral (select coalesce(asked.currency_id, s.currency_id,
      (select r.currency_id from provider_rounds r where r.user_id = u.id and r.provider_id = asked.provider_id
        and r.round_ref = asked.round_ref),
      latest.currency_id) as currency_id) chosen`.execute(db);
  const balances = await balancesOfMany(db, [...new Set(rows.map(({ userId }) => userId))]);
  const bonus = await bonusOf(deps, rows);
  return new Map(
    rows.map(({ place, ...found }) => {
      const { userId, currencyId } = found;
      const { providerId, call } = inquiries[place - 1]!;
      const cash = balances.get(userId)?.find((balance) => balance.currencyId === currencyId)?.cash ?? 0n;
      const gameId = call.gameCode === undefined ? found.gameId : findGame(providerId, call.gameCode)?.id;
      const isKnown = bonus && currencyId !== null && gameId !== null && gameId !== undefined;
      const playable = isKnown ? playableOf(bonus, { userId, currencyId }, gameId) : 0n;
      return [inquiries[place - 1]!, { ...found, balance: cash + playable }];
    }),
  );
}

/** Reads the bonus money of the players who have a grant. */
async function bonusOf(
  { db, terms }: Deps,
  rows: readonly Pick<Found, 'userId' | 'hasGrant'>[],
): Promise<BonusBooks | undefined> {
  const granted = rows.flatMap(({ userId, hasGrant }) => (hasGrant ? [userId] : []));
  return granted.length > 0 ? readBooks(db, terms, granted) : undefined;
}
