import type { Tx } from '../../../../platform/database/db.ts';
import { currencyToUsdDown, type Rate, type Units } from '../../../../platform/money.ts';
import type { Posting } from '../../ledger/rules.ts';
import { countGiven } from '../../rewards/pay.ts';
import { emitStates } from './announce.ts';
import { mayStartAgain, passOn } from './close.ts';
import type { GrantDeps } from './deps.ts';
import { findBonusBet, type GrantRow, inHours, lockGrant, updateGrant, voidBonusBet } from './queries.ts';
import { type Undone, undone } from './rules.ts';
import { GrantStatus } from './schemas.ts';
import { decide, follow } from './settle.ts';

/** A settled bet that is rolled back. `rate` is the bet's rate. */
export type UndoneBet = { id: bigint; userId: number; currencyId: string; rate: Rate };

/**
 * The rollback of a bet's bonus money. `postings` belong to the rollback's entry. They go through the player's bonus account, so that the
 * sums by kind remain correct. Call `finish` after that entry is posted.
 */
export type BonusUndo = { staked: Units; paid: Units; postings: readonly Posting[]; finish(): Promise<void> };

/**
 * Plans the rollback of a bet's bonus money, which depends on the state of its grant (`undone`). Returns undefined for a cash bet. The
 * player must be locked. Locks the grant.
 */
export async function planUndo(tx: Tx, deps: GrantDeps, bet: UndoneBet): Promise<BonusUndo | undefined> {
  const found = await findBonusBet(tx, bet.id);
  if (!found) return undefined;
  const locked = await lockGrant(tx, found.grant_id);
  const isDue = locked.is_due && locked.status !== 'ACTIVE';
  const grant = isDue ? await passOn(tx, deps, locked) : locked;
  const made = isDue ? (await findBonusBet(tx, bet.id))! : found;
  const { bonus_staked: staked, bonus_paid: paid, bonus_lost: lost, counted } = made;
  const parts = undone(
    {
      status: GrantStatus.parse(grant.status),
      balance: grant.bonus_balance,
      converted: grant.converted,
      toStart: grant.to_start,
      mayStartAgain: await mayStartAgain(tx, deps, grant),
      grantedAmount: grant.granted_amount,
      maxWithdrawalMultiplierE2: grant.max_withdrawal_multiplier_e2,
      decimals: grant.decimals,
    },
    { staked, paid, lost },
  );
  return {
    staked,
    paid,
    postings: postingsOf(bet, parts),
    async finish() {
      await voidBonusBet(tx, bet.id);
      const wagerDone = grant.wager_done - (counted ?? 0n);
      const after = await change(tx, deps, { grant, parts, wagerDone });
      await follow(tx, deps.currencies, await decideAgain(tx, deps, after));
      await countBack(tx, deps, bet, parts);
      if (grant.status === 'COMPLETED')
        await addTurnover(tx, deps, bet, { grant, wagerDone, counted: counted ?? 0n });
    },
  };
}

function postingsOf({ userId, currencyId }: UndoneBet, { moves }: Undone): Posting[] {
  return moves.filter(({ amount }) => amount > 0n).map((move): Posting => ({ userId, currencyId, ...move }));
}

async function change(
  tx: Tx,
  { siteConfig }: GrantDeps,
  { grant, parts, wagerDone }: { grant: GrantRow; parts: Undone; wagerDone: Units },
): Promise<GrantRow> {
  const { queueDays } = siteConfig.get('COMMON').promo;
  const { balance, converted, forfeited, writtenOff, toStart, status } = parts;
  const changed = await updateGrant(tx, grant, {
    wager_done: wagerDone,
    bonus_balance: balance,
    converted: grant.converted + converted,
    forfeited: grant.forfeited + forfeited,
    written_off: grant.written_off + writtenOff,
    to_start: toStart,
    ...(status !== grant.status && { status }),
    ...(status === 'PENDING' && {
      waits_until: inHours(queueDays * 24),
      closed_at: null,
      close_reason: null,
    }),
    // `decideAgain` then checks whether the grant has ended.
    ...(status === 'ACTIVE' && { is_due: true }),
  });
  // A lost grant now waits to start again.
  if (status === 'PENDING' && grant.status !== 'PENDING') await emitStates(tx, changed, 'CREATED');
  return changed;
}

/** Settles an active grant, because it may be lost or complete after the rollback. */
const decideAgain = (tx: Tx, deps: GrantDeps, grant: GrantRow): Promise<GrantRow> =>
  grant.status === 'ACTIVE' ? decide(tx, deps, grant) : Promise.resolve(grant);

async function countBack(
  tx: Tx,
  { currencies }: GrantDeps,
  bet: UndoneBet,
  { converted }: Undone,
): Promise<void> {
  if (converted === 0n) return;
  const { userId, currencyId } = bet;
  const amount = converted > 0n ? converted : -converted;
  const usdAmount = currencies.toUsd(currencyId, amount);
  const kind = converted > 0n ? 'promo.conversion' : 'promo.conversion.back';
  await countGiven(tx, kind, { userId, currencyId, amount, usdAmount });
}

/** Adds the wagering that a converted grant lacks to the required turnover, in US dollars at the bet's rate. */
async function addTurnover(
  tx: Tx,
  { rollover }: GrantDeps,
  { userId, rate }: UndoneBet,
  { grant, wagerDone, counted }: { grant: GrantRow; wagerDone: Units; counted: Units },
): Promise<void> {
  const short = grant.wager_required - wagerDone;
  const missing = short < counted ? short : counted;
  if (missing > 0n) await rollover.add(tx, { userId, usdAmount: currencyToUsdDown(missing, rate) });
}
