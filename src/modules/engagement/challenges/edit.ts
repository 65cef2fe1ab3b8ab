import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { lockCursor } from '../../games/bets/consume.ts';
import { casinoErrors } from '../../games/casino/schemas.ts';
import { publicationOf } from './publication.ts';
import {
  type ChallengeDeps,
  type ChallengeRow,
  CURSOR,
  challengeErrors,
  deleteBets,
  findChallenge,
  insertChallenge,
  lockChallenge,
  updateChallenge,
} from './queries.ts';
import { toE4 } from './rules.ts';
import { auditOf, Challenge, ChallengePath, getForStaff } from './view.ts';

const MinMultiplier = z
  .number()
  .min(1)
  .max(1_000_000_000)
  .refine((value) => toE4(value) !== undefined, 'has more than four decimals');

const NewChallenge = z.strictObject({
  minBetAmountUsd: Amount,
  rewardCurrency: CurrencyId,
  rewardAmount: Amount,
  gameSlug: Id,
  minBetMultiplier: MinMultiplier,
  isHidden: z.boolean(),
});

export const createChallenge = operation({
  method: 'PUT',
  path: '/admin/challenge',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.write' },
  gate: 'none',
  stepUp: true,
  createsValue: 'configures',
  summary: 'Create a challenge with the image of its game',
  description:
    'Only bets placed after the challenge is published count. Multipliers have at most four decimals. The reward is paid later, ' +
    'with a separate operation.',
  body: NewChallenge,
  response: Challenge,
  errors: [casinoErrors.GAME_NOT_FOUND, commonErrors.CURRENCY_NOT_FOUND],
  handler: (deps: ChallengeDeps, { by, body }) =>
    transaction(deps.db, async (tx) => {
      await freshActor(tx, by);
      const id = newId();
      const terms = {
        min_bet_usd: amountOf('minBetAmountUsd', body.minBetAmountUsd),
        min_multiplier_e4: toE4(body.minBetMultiplier)!,
        ...rewardOf(deps, body),
        ...gameOf(deps, body),
      };
      const { isHidden } = body;
      const draft = { id, status: 'ACTIVE', is_hidden: isHidden, shown_at: null, hidden_at: null } as const;
      const published = isHidden ? {} : await publicationOf(tx, draft, { isNew: true });
      await insertChallenge(tx, {
        id,
        ...terms,
        ...published,
        is_hidden: isHidden,
        ...setBy(by),
        created_by: by.user.id,
      });
      await recordAudit(tx, by, { after: auditOf((await findChallenge(tx, id))!) });
      return getForStaff(tx, deps, by, id);
    }),
});

const Change = NewChallenge.partial().refine(
  (change) => Object.values(change).some((value) => value !== undefined),
  'changes nothing',
);
type Change = z.output<typeof Change>;

const writing = {
  path: '/admin/challenge/{id}',
  tag: 'Admin Challenge',
  access: { permission: 'challenge.write' },
  gate: 'none',
  params: ChallengePath,
  response: Challenge,
} as const;

export const updateUnfinished = operation({
  ...writing,
  method: 'PATCH',
  stepUp: true,
  createsValue: 'configures',
  summary: 'Update an unfinished challenge',
  description:
    'After a change of game, stake or multiplier, or when the challenge is published again, only later bets count. While the ' +
    'challenge has a winner, only `isHidden` can change, which affects bets only if the challenge loses its winner.',
  body: Change,
  errors: [
    challengeErrors.CHALLENGE_NOT_FOUND,
    challengeErrors.CHALLENGE_FINISHED,
    challengeErrors.CHALLENGE_TERMS_FIXED,
    casinoErrors.GAME_NOT_FOUND,
    commonErrors.CURRENCY_NOT_FOUND,
  ],
  handler: (deps: ChallengeDeps, { by, params: { id }, body }) =>
    transaction(deps.db, async (tx) => {
      const before = await lockUnfinished(tx, by, id);
      const { gameSlug } = body;
      const reward = hasReward(body) ? rewardOf(deps, withReward(before, body)) : {};
      const setter = hasReward(body) ? setBy(by) : {};
      const bet = { ...betOf(body), ...(gameSlug !== undefined && gameOf(deps, { gameSlug })) };
      const differs = (to: object) =>
        Object.entries(to).some(([name, value]) => before[name as keyof ChallengeRow] !== value);
      if (before.status !== 'ACTIVE' && (differs(bet) || differs(reward)))
        throw challengeErrors.CHALLENGE_TERMS_FIXED();
      const isHidden = body.isHidden ?? before.is_hidden;
      const published = await publicationOf(tx, { ...before, is_hidden: isHidden }, { isNew: differs(bet) });
      await updateChallenge(tx, id, { ...bet, ...reward, ...setter, ...published, is_hidden: isHidden });
      const after = (await findChallenge(tx, id))!;
      await recordAudit(tx, by, differenceOf(before, after));
      return getForStaff(tx, deps, by, id);
    }),
});

export const deleteUnfinished = operation({
  ...writing,
  method: 'DELETE',
  summary: 'Delete an unfinished challenge',
  errors: [challengeErrors.CHALLENGE_NOT_FOUND, challengeErrors.CHALLENGE_FINISHED],
  handler: (deps: ChallengeDeps, { by, params: { id } }) =>
    transaction(deps.db, async (tx) => {
      const before = await lockUnfinished(tx, by, id);
      const challenge = await getForStaff(tx, deps, by, id);
      await lockCursor(tx, CURSOR);
      await deleteBets(tx, id);
      await updateChallenge(tx, id, { deleted_at: await transactionTime(tx) });
      await recordAudit(tx, by, { before: auditOf(before) });
      return challenge;
    }),
});

async function lockUnfinished(tx: Tx, by: StaffCall, id: string): Promise<ChallengeRow> {
  const row = await lockChallenge(tx, id);
  await freshActor(tx, by);
  if (!row) throw challengeErrors.CHALLENGE_NOT_FOUND();
  if (row.status === 'FINISHED') throw challengeErrors.CHALLENGE_FINISHED();
  return row;
}

const betOf = ({ minBetAmountUsd, minBetMultiplier }: Change) => ({
  ...(minBetAmountUsd !== undefined && { min_bet_usd: amountOf('minBetAmountUsd', minBetAmountUsd) }),
  ...(minBetMultiplier !== undefined && { min_multiplier_e4: toE4(minBetMultiplier)! }),
});

const hasReward = ({ rewardCurrency, rewardAmount }: Change) =>
  rewardCurrency !== undefined || rewardAmount !== undefined;

const withReward = (before: ChallengeRow, { rewardCurrency, rewardAmount }: Change): Reward => ({
  rewardCurrency: rewardCurrency ?? before.reward_currency_id,
  rewardAmount: rewardAmount ?? formatUnits(before.reward_amount),
});

/** Returns the id and the changed fields with their values before and after. */
function differenceOf(before: ChallengeRow, after: ChallengeRow) {
  const [was, is]: Record<string, unknown>[] = [auditOf(before), auditOf(after)];
  const names = Object.keys(is!).filter((name) => name === 'id' || was![name] !== is![name]);
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name]]));
  return { before: pick(was!), after: pick(is!) };
}

/** Throws 404 GAME_NOT_FOUND. */
function gameOf({ catalogue }: Pick<ChallengeDeps, 'catalogue'>, { gameSlug }: { gameSlug: string }) {
  const game = catalogue.state.now().bySlug.get(gameSlug);
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
  return { game_id: game.id };
}

type Reward = { rewardCurrency: string; rewardAmount: string };

/** Throws 404 CURRENCY_NOT_FOUND. */
function rewardOf(
  { currencies }: Pick<ChallengeDeps, 'currencies'>,
  { rewardCurrency, rewardAmount }: Reward,
) {
  // Checks the amount first, so that an invalid amount is reported before an unknown currency.
  amountOf('rewardAmount', rewardAmount);
  const { decimals } = currencies.get(rewardCurrency);
  return {
    reward_currency_id: rewardCurrency,
    reward_amount: amountOf('rewardAmount', rewardAmount, decimals),
  };
}

/** Records which staff member has set the reward, because that staff member may need another person's approval to pay it. */
const setBy = (by: StaffCall) => ({ reward_set_by: by.user.id });

function amountOf(path: string, text: string, decimals?: number): Units {
  const amount = parseUnits(text, decimals);
  if (amount === undefined) throw invalidField(path, 'is too large or has too many decimals');
  if (amount === 0n) throw invalidField(path, 'must be greater than zero');
  return amount;
}
