import type { CountrySet } from '../../../../platform/countries/rules.ts';
import { int4Array, int8Array, textArray } from '../../../../platform/database/arrays.ts';
import type { Statement } from '../../../../platform/database/db.ts';
import type { Rate, Units } from '../../../../platform/money.ts';
import type { ActionType, Round, RoundBet } from './rules.ts';

/** Identifies a transaction by the provider and the provider's transaction id. */
export type TransactionKey = { providerId: number; transactionId: string };
/** Identifies a round. */
export type RoundKey = { userId: number; providerId: number; ref: string };

/** FREE_BET and FREE_WIN belong to free rounds, whose wins are paid from the promo account. */
export type TransactionType = ActionType | 'FREE_BET' | 'FREE_WIN';

/** A stored transaction of a provider. */
export type Transaction = TransactionKey & {
  id: bigint;
  userId: number;
  roundId: bigint | null;
  gameId: number | null;
  type: TransactionType;
  currencyId: string;
  amount: Units;
  /** The bonus money in a bet or win. */
  bonus: Units;
  /** SHA-256 of the transaction's content, in hex. */
  content: string;
  status: 'DONE' | 'REFUSED' | 'UNDONE' | 'TOMBSTONE';
  refusal: string | null;
  reference: string | null;
  /** The amount that the player could stake after the transaction. */
  balance: Units;
  claimed: Units;
  payload: object | null;
  /** The provider's reference for the free rounds that the transaction belongs to. */
  freeRounds: string | null;
  createdAt: Date;
};

export function readTransactions(keys: readonly TransactionKey[]): Statement {
  return {
    name: 'provider.transactions',
    text: `select t.id, t.provider_id as "providerId", t.transaction_id as "transactionId", t.user_id as "userId", t.round_id as "roundId",
        t.game_id as "gameId", t.type, t.currency_id as "currencyId", t.amount, t.bonus, encode(t.content, 'hex') as content, t.status, t.refusal, t.reference, t.balance,
        t.claimed, t.payload, t.free_rounds as "freeRounds", t.created_at as "createdAt"
      from unnest($1::int4[], $2::text[]) w(provider_id, transaction_id)
      join provider_transactions t on t.provider_id = w.provider_id and t.transaction_id = w.transaction_id`,
    values: [int4Array(keys.map((k) => k.providerId)), textArray(keys.map((k) => k.transactionId))],
  };
}

export type RoundRow = Omit<Round, 'bet'> & {
  betId: bigint | null;
  /** Null if the round has no bet or the bet's month is detached. */
  betStatus: RoundBet['status'] | 'ERROR' | null;
  rate: Rate;
  edgePpm: number;
  betCreatedAt: Date;
  amount: Units;
  usdAmount: Units;
  payout: Units;
  usdPayout: Units;
  undecided: Units;
  countsAt: Date | null;
  position: bigint | null;
  /** The number of changes since the round was created. */
  changes: number;
};

/**
 * Reads the rounds of these keys and of the referenced transactions, with the current amounts of their bets. A voided bet is returned with
 * the stake before the void, and a reopened bet only with its stake.
 */
export function readRounds(keys: readonly RoundKey[], references: readonly TransactionKey[]): Statement {
  return {
    name: 'provider.rounds',
    text: `with wanted as materialized (
        select r.id from unnest($1::int4[], $2::int4[], $3::text[]) w(user_id, provider_id, round_ref)
        join provider_rounds r on r.user_id = w.user_id and r.provider_id = w.provider_id and r.round_ref = w.round_ref
        union
        select t.round_id from unnest($4::int4[], $5::text[]) w(provider_id, transaction_id)
        join provider_transactions t on t.provider_id = w.provider_id and t.transaction_id = w.transaction_id
        where t.round_id is not null)
      select r.id, r.provider_id as "providerId", r.user_id as "userId", r.round_ref as ref, r.game_id as "gameId",
        r.currency_id as "currencyId", r.status, r.stakes, r.wins, r.version, r.payload, r.has_bonus as "hasBonus", r.changes, r.bet_id as "betId",
        b.status as "betStatus", b.usd_rate as rate, b.edge_ppm as "edgePpm", b.created_at as "betCreatedAt",
        case when b.is_corrected then coalesce(c.amount_after, reopened.amount, 0) when b.status = 'ROLLBACK' then 0 else b.amount end as amount,
        case when b.is_corrected then coalesce(c.usd_amount_after, reopened.usd_amount, 0) when b.status = 'ROLLBACK' then 0 else b.usd_amount end as "usdAmount",
        case when b.is_corrected then coalesce(c.payout_after, 0) else b.payout end as payout,
        case when b.is_corrected then coalesce(c.usd_payout_after, 0) else b.usd_payout end as "usdPayout",
        coalesce(case when b.is_corrected then c.undecided_after else b.undecided end, 0) as undecided,
        case when b.is_corrected then c.at_after when b.status = 'SETTLED' then coalesce(b.settled_at, b.created_at) end as "countsAt",
        case when b.is_corrected or b.status in ('SETTLED', 'ROLLBACK') then coalesce(b.settlement_id, b.id) end as position
      from wanted join provider_rounds r on r.id = wanted.id
      left join bets b on b.id = r.bet_id
      left join lateral (
        select * from bet_corrections where b.is_corrected and bet_id = b.id order by id desc limit 1) c on true
      left join lateral (
        select c.amount_before as amount, c.usd_amount_before as usd_amount where b.status = 'CREATED') reopened on true`,
    values: [
      int4Array(keys.map((k) => k.userId)),
      int4Array(keys.map((k) => k.providerId)),
      textArray(keys.map((k) => k.ref)),
      int4Array(references.map((r) => r.providerId)),
      textArray(references.map((r) => r.transactionId)),
    ],
  };
}

/** Writes new transactions. */
export function insertTransactions(rows: readonly Transaction[]): Statement {
  return {
    name: 'provider.insert-transactions',
    text: `insert into provider_transactions (id, provider_id, transaction_id, user_id, round_id, game_id, type, currency_id, amount,
        content, status, refusal, reference, balance, claimed, payload, bonus, free_rounds)
      select id, provider_id, transaction_id, user_id, round_id, game_id, type, currency_id, amount, decode(content, 'hex'), status, refusal,
        reference, balance, claimed, payload::jsonb, bonus, free_rounds
      from unnest($1::int8[], $2::int4[], $3::text[], $4::int4[], $5::int8[], $6::int4[], $7::text[], $8::text[], $9::int8[], $10::text[],
        $11::text[], $12::text[], $13::text[], $14::int8[], $15::int8[], $16::text[], $17::int8[], $18::text[])
        v(id, provider_id, transaction_id, user_id, round_id, game_id, type, currency_id, amount, content, status, refusal, reference,
          balance, claimed, payload, bonus, free_rounds)`,
    values: [
      int8Array(rows.map((t) => t.id)),
      int4Array(rows.map((t) => t.providerId)),
      textArray(rows.map((t) => t.transactionId)),
      int4Array(rows.map((t) => t.userId)),
      int8Array(rows.map((t) => t.roundId)),
      int4Array(rows.map((t) => t.gameId)),
      textArray(rows.map((t) => t.type)),
      textArray(rows.map((t) => t.currencyId)),
      int8Array(rows.map((t) => t.amount)),
      textArray(rows.map((t) => t.content)),
      textArray(rows.map((t) => t.status)),
      textArray(rows.map((t) => t.refusal)),
      textArray(rows.map((t) => t.reference)),
      int8Array(rows.map((t) => t.balance)),
      int8Array(rows.map((t) => t.claimed)),
      textArray(rows.map((t) => t.payload && JSON.stringify(t.payload))),
      int8Array(rows.map((t) => t.bonus)),
      textArray(rows.map((t) => t.freeRounds)),
    ],
  };
}

/** Marks transactions as rolled back. */
export function undoTransactions(ids: readonly bigint[]): Statement {
  return {
    name: 'provider.undo-transactions',
    text: `update provider_transactions set status = 'UNDONE' where id = any($1::int8[])`,
    values: [int8Array(ids)],
  };
}

/** Writes new rounds. Fails with 23505 if a round with the same key exists. */
export function insertRounds(rounds: readonly Round[]): Statement {
  return {
    name: 'provider.insert-rounds',
    text: `insert into provider_rounds (id, provider_id, user_id, round_ref, game_id, currency_id, bet_id, status, stakes, wins, version,
        payload, closed_at, has_bonus)
      select id, provider_id, user_id, round_ref, game_id, currency_id, bet_id, status, stakes, wins, version, payload::jsonb,
        case when status <> 'OPEN' then now() end, has_bonus > 0
      from unnest($1::int8[], $2::int4[], $3::int4[], $4::text[], $5::int4[], $6::text[], $7::int8[], $8::text[], $9::int4[], $10::int4[],
        $11::int4[], $12::text[], $13::int4[])
        v(id, provider_id, user_id, round_ref, game_id, currency_id, bet_id, status, stakes, wins, version, payload, has_bonus)`,
    values: [
      int8Array(rounds.map((r) => r.id)),
      int4Array(rounds.map((r) => r.providerId)),
      int4Array(rounds.map((r) => r.userId)),
      textArray(rounds.map((r) => r.ref)),
      int4Array(rounds.map((r) => r.gameId)),
      textArray(rounds.map((r) => r.currencyId)),
      int8Array(rounds.map((r) => r.bet?.id ?? null)),
      textArray(rounds.map((r) => r.status)),
      int4Array(rounds.map((r) => r.stakes)),
      int4Array(rounds.map((r) => r.wins)),
      int4Array(rounds.map((r) => r.version)),
      textArray(rounds.map((r) => r.payload && JSON.stringify(r.payload))),
      int4Array(rounds.map((r) => Number(r.hasBonus))),
    ],
  };
}

/** Writes changed rounds. Fails with 40001 if a round has been changed since it was read. */
export function updateRounds(rounds: readonly (Round & { changes: number })[]): Statement {
  return {
    name: 'provider.update-rounds',
    text: `with changed as (
        update provider_rounds r set bet_id = v.bet_id, status = v.status, stakes = v.stakes, wins = v.wins, version = v.version,
          payload = v.payload::jsonb, changes = r.changes + 1, updated_at = now(), has_bonus = v.has_bonus > 0,
          closed_at = case when v.status <> 'OPEN' then coalesce(r.closed_at, now()) end
        from unnest($1::int8[], $2::int8[], $3::text[], $4::int4[], $5::int4[], $6::int4[], $7::text[], $8::int4[], $10::int4[])
          v(id, bet_id, status, stakes, wins, version, payload, changes, has_bonus)
        where r.id = v.id and r.changes = v.changes
        returning 1)
      select expect_rows((select count(*) from changed), $9::int8)`,
    values: [
      int8Array(rounds.map((r) => r.id)),
      int8Array(rounds.map((r) => r.bet?.id ?? null)),
      textArray(rounds.map((r) => r.status)),
      int4Array(rounds.map((r) => r.stakes)),
      int4Array(rounds.map((r) => r.wins)),
      int4Array(rounds.map((r) => r.version)),
      textArray(rounds.map((r) => r.payload && JSON.stringify(r.payload))),
      int4Array(rounds.map((r) => r.changes)),
      rounds.length,
      int4Array(rounds.map((r) => Number(r.hasBonus))),
    ],
  };
}

/** The wallet session created by a launch. */
export type Session = {
  hash: string;
  userId: number;
  providerId: number;
  gameId: number;
  currencyId: string;
  /** The countries stored at launch. */
  country: CountrySet;
  isLive: boolean;
};

/**
 * Reads sessions by the hashes of their tokens, and the newest sessions of players at a provider. A session ends with the sign-in session
 * in which it was created, so a log-out or a ban takes effect immediately.
 */
export function readSessions(
  hashes: readonly string[],
  latestOf: readonly { userId: number; providerId: number }[],
): Statement {
  const columns = `encode(s.token_hash, 'hex') as hash, s.user_id as "userId", s.provider_id as "providerId", s.game_id as "gameId",
        s.currency_id as "currencyId", coalesce(s.countries, s.country) as country,
        s.ended_at is null and s.expires_at > now() and a.revoked_at is null as "isLive"`;
  return {
    name: 'provider.sessions',
    text: `select ${columns}, false as "isLatest" from unnest($1::text[]) w(hash)
        join provider_sessions s on s.token_hash = decode(w.hash, 'hex') left join sessions a on a.id = s.session_id
      union all
      select latest.*, true from unnest($2::int4[], $3::int4[]) w(user_id, provider_id)
        cross join lateral (select ${columns} from provider_sessions s left join sessions a on a.id = s.session_id
          where s.user_id = w.user_id and s.provider_id = w.provider_id order by s.id desc limit 1) latest`,
    values: [
      textArray(hashes),
      int4Array(latestOf.map((l) => l.userId)),
      int4Array(latestOf.map((l) => l.providerId)),
    ],
  };
}

/** Returns the hashes of sessions that have ended or no longer exist. */
export const readDeadSessions = (hashes: readonly string[]): Statement => ({
  name: 'provider.dead-sessions',
  text: `select w.hash from unnest($1::text[]) w(hash)
      left join provider_sessions s on s.token_hash = decode(w.hash, 'hex') left join sessions a on a.id = s.session_id
      where (s.ended_at is null and s.expires_at > now() and a.revoked_at is null) is not true`,
  values: [textArray(hashes)],
});
