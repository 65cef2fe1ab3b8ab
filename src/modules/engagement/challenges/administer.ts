import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import { casinoErrors } from '../../games/casino/errors.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { challengeErrors } from './errors.ts';
import { getForStaff } from './lists.ts';
import {
  type ChallengeRow,
  deleteKept,
  findChallenge,
  insertChallenge,
  lockChallenge,
  readMoment,
  updateChallenge,
} from './queries.ts';
import { toE4 } from './rules.ts';
import type { ChallengeChange, NewChallenge } from './schemas.ts';
import { auditOf, type Shown, type ToUsd } from './show.ts';

export type AdministerDeps = {
  db: Db;
  catalogue: Pick<Catalogue, 'state'>;
  currencies: Pick<Currencies, 'get'>;
  toUsd: ToUsd;
};
type Change = z.output<typeof ChallengeChange>;

/** The name of the consumer's cursor. */
export const CURSOR = 'challenges';

/** Throws 404 GAME_NOT_FOUND, CURRENCY_NOT_FOUND. */
export const create = (
  deps: AdministerDeps,
  by: StaffCall,
  request: z.output<typeof NewChallenge>,
): Promise<Shown> =>
  transaction(deps.db, async (tx) => {
    await freshActor(tx, by);
    const id = newId();
    const terms = {
      min_bet_usd: amountOf('minBetAmountUsd', request.minBetAmountUsd),
      min_multiplier_e4: toE4(request.minBetMultiplier)!,
      ...rewardOf(deps, request),
      ...gameOf(deps, request),
    };
    const { isHidden } = request;
    const shown = isHidden ? NEVER : await showNow(tx);
    await insertChallenge(tx, { id, ...terms, ...shown, is_hidden: isHidden, created_by: by.user.id });
    await recordAudit(tx, by, { after: auditOf((await findChallenge(tx, id))!) });
    return getForStaff({ ...deps, db: tx }, by, id);
  });

/**
 * Sets the named fields. Bets that were made before terms changed that they have to meet do not count any more. Throws 404
 * CHALLENGE_NOT_FOUND, GAME_NOT_FOUND, CURRENCY_NOT_FOUND, 409 CHALLENGE_FINISHED, CHALLENGE_TERMS_FIXED.
 */
export const change = (
  deps: AdministerDeps,
  by: StaffCall,
  { id, ...request }: Change & { id: string },
): Promise<Shown> =>
  transaction(deps.db, async (tx) => {
    const before = await lockUnfinished(tx, by, id);
    const { gameSlug } = request;
    const reward = namesReward(request) ? rewardOf(deps, withReward(before, request)) : {};
    const bet = { ...betOf(request), ...(gameSlug !== undefined && gameOf(deps, { gameSlug })) };
    const differs = (to: object) =>
      Object.entries(to).some(([name, value]) => before[name as keyof ChallengeRow] !== value);
    if (before.status !== 'ACTIVE' && (differs(bet) || differs(reward)))
      throw challengeErrors.CHALLENGE_TERMS_FIXED();
    const isHidden = request.isHidden ?? before.is_hidden;
    const shown = await shownFrom(tx, before, { isHidden, isNew: differs(bet) });
    await updateChallenge(tx, id, { ...bet, ...reward, ...shown, is_hidden: isHidden });
    const after = (await findChallenge(tx, id))!;
    await recordAudit(tx, by, differenceOf(before, after));
    return getForStaff({ ...deps, db: tx }, by, id);
  });

/** Throws 404 CHALLENGE_NOT_FOUND, 409 CHALLENGE_FINISHED. */
export const remove = (deps: AdministerDeps, by: StaffCall, id: string): Promise<Shown> =>
  transaction(deps.db, async (tx) => {
    const before = await lockUnfinished(tx, by, id);
    const shown = await getForStaff({ ...deps, db: tx }, by, id);
    await lockCursor(tx, CURSOR);
    await deleteKept(tx, id);
    await updateChallenge(tx, id, { deleted_at: await transactionTime(tx) });
    await recordAudit(tx, by, { before: auditOf(before) });
    return shown;
  });

async function lockUnfinished(tx: Tx, by: StaffCall, id: string): Promise<ChallengeRow> {
  const row = await lockChallenge(tx, id);
  await freshActor(tx, by);
  if (!row) throw challengeErrors.CHALLENGE_NOT_FOUND();
  if (row.status === 'FINISHED') throw challengeErrors.CHALLENGE_FINISHED();
  return row;
}

// ---------------------------------------------------------------- terms

function gameOf({ catalogue }: AdministerDeps, { gameSlug }: { gameSlug: string }) {
  const game = catalogue.state.now().bySlug.get(gameSlug);
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
  return { game_id: game.id };
}

const betOf = ({ minBetAmountUsd, minBetMultiplier }: Change) => ({
  ...(minBetAmountUsd !== undefined && { min_bet_usd: amountOf('minBetAmountUsd', minBetAmountUsd) }),
  ...(minBetMultiplier !== undefined && { min_multiplier_e4: toE4(minBetMultiplier)! }),
});

type Reward = { rewardCurrency: string; rewardAmount: string };

function rewardOf({ currencies }: AdministerDeps, { rewardCurrency, rewardAmount }: Reward) {
  // An amount that never fits is said before a currency that there is not.
  amountOf('rewardAmount', rewardAmount);
  const { decimals } = currencies.get(rewardCurrency);
  return {
    reward_currency_id: rewardCurrency,
    reward_amount: amountOf('rewardAmount', rewardAmount, decimals),
  };
}

const namesReward = ({ rewardCurrency, rewardAmount }: Change) =>
  rewardCurrency !== undefined || rewardAmount !== undefined;

const withReward = (before: ChallengeRow, { rewardCurrency, rewardAmount }: Change): Reward => ({
  rewardCurrency: rewardCurrency ?? before.reward_currency_id,
  rewardAmount: rewardAmount ?? formatUnits(before.reward_amount),
});

function amountOf(path: string, text: string, decimals?: number): Units {
  const amount = parseUnits(text, decimals);
  if (amount === undefined) throw invalidField(path, 'is too large or has too many decimals');
  if (amount === 0n) throw invalidField(path, 'is nothing');
  return amount;
}

// ---------------------------------------------------------------- shown and hidden

const NEVER = { shown_at: null, shown_id: null, hidden_at: null };

/** From this moment on. The consumer waits until it is committed: it knows of the challenge when it comes to the bets made since. */
async function showNow(tx: Tx) {
  await lockCursor(tx, CURSOR);
  const { at, id } = await readMoment(tx);
  return { shown_at: at, shown_id: id, hidden_at: null };
}

/** `isNew`: bets so far were made on other terms. One that has its winner keeps the bets that could win it. */
async function shownFrom(
  tx: Tx,
  before: ChallengeRow,
  { isHidden, isNew }: { isHidden: boolean; isNew: boolean },
) {
  const isToggled = isHidden !== before.is_hidden;
  if (before.status !== 'ACTIVE')
    return isToggled ? { hidden_at: isHidden ? await transactionTime(tx) : null } : {};
  if (!isNew && !isToggled) return {};
  await lockCursor(tx, CURSOR);
  if (isHidden && !isNew) return { hidden_at: (await readMoment(tx)).at };
  await deleteKept(tx, before.id);
  return isHidden ? NEVER : showNow(tx);
}

/** The fields that a change has changed, before and after; its id always. */
function differenceOf(before: ChallengeRow, after: ChallengeRow) {
  const [was, is]: Record<string, unknown>[] = [auditOf(before), auditOf(after)];
  const names = Object.keys(is!).filter((name) => name === 'id' || was![name] !== is![name]);
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name]]));
  return { before: pick(was!), after: pick(is!) };
}
