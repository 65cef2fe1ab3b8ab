import type { Tx } from '../../../platform/database/db.ts';
import { type ChallengeRow, deleteBets, holdMoment } from './queries.ts';

/** The columns of a challenge that was never published with its current terms. */
const UNPUBLISHED = { shown_at: null, shown_id: null, hidden_at: null };

type Published = Pick<ChallengeRow, 'id' | 'status' | 'is_hidden' | 'shown_at' | 'hidden_at'>;

/**
 * Returns the columns that say which bets can win, after `is_hidden` or the terms (`isNew`) have changed. When a challenge is published,
 * only later bets count. While it has a winner, its bets are kept: the change takes effect when it is reopened. The challenge must be
 * locked.
 */
export async function publicationOf(
  tx: Tx,
  { id, status, is_hidden: isHidden, shown_at: shownAt, hidden_at: hiddenAt }: Published,
  { isNew = false } = {},
) {
  const isOpen = shownAt !== null && hiddenAt === null;
  if (status !== 'ACTIVE' || (!isNew && isOpen !== isHidden)) return {};
  const moment = await holdMoment(tx);
  if (isHidden && !isNew) return { hidden_at: moment.at };
  await deleteBets(tx, id);
  return isHidden ? UNPUBLISHED : { shown_at: moment.at, shown_id: moment.id, hidden_at: null };
}
