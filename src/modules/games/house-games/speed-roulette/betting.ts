import type { SharedRoundReader } from '../../betting/settler.ts';
import { type BettingRound, currentRoundStatement, type Placed, placedStatement } from './queries.ts';

/** How the settlement reads the round that takes bets, under the locks of those who bet in it. */
export const speedRouletteBetting: SharedRoundReader = {
  statements: (userIds) => [currentRoundStatement(), placedStatement(userIds)],
  read([rounds, placed]) {
    const [round] = rounds as BettingRound[];
    if (!round?.isOpen) return undefined;
    return { round, placed: new Map((placed as Placed[]).map((p) => [p.userId, p.usd])) };
  },
};
