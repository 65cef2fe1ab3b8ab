import { sql, type Updateable } from 'kysely';
import { expect } from 'vitest';
import { lockPlayers } from '../../../src/modules/base/players/service.ts';
import type { GrantTerms, NewGrant } from '../../../src/modules/money/bonus/grants/issue.ts';
import { post } from '../../../src/modules/money/ledger/post.ts';
import type { Posting } from '../../../src/modules/money/ledger/rules.ts';
import { transaction } from '../../../src/platform/database/db.ts';
import type { PromoGrants } from '../../../src/platform/database/tables.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import type { Player, TestApp } from '../app.ts';

/** Terms of the platform's own promotion: a wagering multiplier of ten and no limits. */
const TERMS: GrantTerms = {
  promoId: 1n,
  name: 'Fifty more',
  type: 'MANUAL',
  wagerMultiplierE2: 1000,
  wagerBase: 'BONUS',
  maxBetUsd: null,
  maxWithdrawalMultiplierE2: null,
  validityHours: null,
  games: {},
};

let made = 0;

/** Returns a bonus of 50 USDT that must be wagered ten times. */
export const bonusFor = (
  { id }: Player,
  {
    amount = '50',
    currencyId = 'USDT',
    ...terms
  }: Partial<GrantTerms> & { amount?: string; currencyId?: string } = {},
): NewGrant => ({
  userId: id,
  terms: { ...TERMS, ...terms },
  reward: { kind: 'BONUS', currencyId, amount: units(amount), usdAmount: units(amount) },
  source: 'ADMIN',
  sourceKey: `test:${id}:${++made}`,
});

/** Returns a percentage bonus: 50 % of the next deposit, at most 100 USDT. */
export const percentageFor = (player: Player, terms: Partial<GrantTerms> = {}): NewGrant => ({
  ...bonusFor(player, terms),
  reward: { kind: 'BONUS', percentBp: 5000, maxAmount: units('100'), maxAmountCurrencyId: 'USDT' },
});

/**
 * Returns helpers that call the grants service, each in a separate transaction. Bets are booked in the same way as by bet settlement, but
 * without a game.
 */
export function grantsOf(app: TestApp) {
  const { grants } = app.services;
  const within = <T>(work: Parameters<typeof transaction<T>>[1]) => transaction(app.db, work);

  const row = (id: bigint) =>
    app.db.selectFrom('promo_grants').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** Books a bet's bonus money, and marks the grant as due, as bet settlement does. */
  const book = (id: bigint, betId: bigint, change: { staked?: bigint; paid?: bigint; counted?: bigint }) =>
    within(async (tx) => {
      const { user_id: userId, currency_id: currencyId } = await row(id);
      await lockPlayers(tx, [userId]);
      const { staked = 0n, paid = 0n, counted = null } = change;
      const of = { userId, currencyId, kind: 'test.bet' as Posting['kind'] };
      const postings: Posting[] = [
        { ...of, debit: 'bonus' as const, credit: 'house' as const, amount: staked },
        { ...of, debit: 'house' as const, credit: 'bonus' as const, amount: paid },
      ].filter(({ amount }) => amount > 0n);
      if (postings.length > 0) await post(tx, [{ key: `test:${++made}`, kind: 'test.bet', postings }]);
      await sql`insert into bonus_bets as b (bet_id, user_id, grant_id, currency_id, bonus_staked, bonus_paid, counted, contribution_bp)
        values (${betId}, ${userId}, ${id}, ${currencyId}, ${staked}, ${paid}, ${counted}, 10000)
        on conflict (bet_id) do update set bonus_staked = b.bonus_staked + excluded.bonus_staked,
          bonus_paid = b.bonus_paid + excluded.bonus_paid, counted = excluded.counted`.execute(tx);
      await sql`update promo_grants g set bonus_balance = bonus_balance - ${staked} + ${paid}, wager_done = wager_done + ${counted ?? 0n},
          is_due = status <> 'ACTIVE' or wager_done + ${counted ?? 0n} >= wager_required or (bonus_balance - ${staked} + ${paid} = 0
            and not exists (select from bonus_bets b where b.grant_id = g.id and b.counted is null))
        where id = ${id}`.execute(tx);
    });

  return {
    row,
    issue: (grant: NewGrant) => within((tx) => grants.issue(tx, grant)),
    end: (id: bigint, ending: Parameters<typeof grants.end>[2] = { status: 'FORFEITED', reason: 'PLAYER' }) =>
      within((tx) => grants.end(tx, id, ending)),
    settle: (id: bigint) => within((tx) => grants.settle(tx, id)),
    stake: (id: bigint, betId: bigint, amount: string) => book(id, betId, { staked: units(amount) }),
    /** Records a payout of a bet that stays open. */
    pay: (id: bigint, betId: bigint, amount: string) => book(id, betId, { paid: units(amount) }),
    /** Records the last payout of a bet and ends the bet. */
    finish: (id: bigint, betId: bigint, { paid = '0', counted = '0' }) =>
      book(id, betId, { paid: units(paid), counted: units(counted) }),

    /** Changes a grant directly in the database. */
    set: (id: bigint, changes: Updateable<PromoGrants>) =>
      app.db.updateTable('promo_grants').set(changes).where('id', '=', id).execute(),

    /** Returns the keys of a grant's ledger entries, oldest first. */
    async entries(id: bigint): Promise<string[]> {
      const entries = await app.db
        .selectFrom('ledger_entries')
        .select('key')
        .where('key', 'like', `promo:${id}:%`)
        .orderBy('id')
        .execute();
      return entries.map(({ key }) => key);
    },

    /** Returns the visible fields of a grant. */
    async state(id: bigint) {
      const grant = await row(id);
      return {
        status: grant.status,
        balance: formatUnits(grant.bonus_balance),
        converted: formatUnits(grant.converted),
        forfeited: formatUnits(grant.forfeited),
      };
    },

    /** Returns a player's cash, bonus and vault balances in a currency. */
    async moneyOf({ id }: Player, currencyId = 'USDT') {
      const wallet = await app.db
        .selectFrom('wallets')
        .select(['cash', 'bonus', 'vault'])
        .where('user_id', '=', id)
        .where('currency_id', '=', currencyId)
        .executeTakeFirst();
      const { cash = 0n, bonus = 0n, vault = 0n } = wallet ?? {};
      return { cash: formatUnits(cash), bonus: formatUnits(bonus), vault: formatUnits(vault) };
    },

    async hasGrant({ id }: Player) {
      const { has_grant } = await app.db
        .selectFrom('players')
        .select('has_grant')
        .where('user_id', '=', id)
        .executeTakeFirstOrThrow();
      return has_grant;
    },

    /** Returns a player's state and progress events, oldest first. */
    async announced({ id }: Player) {
      const events = await app.db
        .selectFrom('events')
        .select('data')
        .where('user_id', '=', id)
        .where('name', '=', 'promo.progress')
        .orderBy('id')
        .execute();
      return events.map(({ data }) => data as Record<string, unknown>);
    },

    async notified(player: Player): Promise<string[]> {
      const { status, body } = await player.call('GET', '/notifications');
      expect(status).toBe(200);
      return body.map((note: any) => note.payload.code).reverse();
    },
  };
}
