import { errors } from '../../../platform/errors.ts';

export const betErrors = errors({
  BET_NOT_FOUND: [404, 'Bet not found.'],
  BET_NOT_SETTLED: [409, 'The bet is not settled yet, so it cannot be rolled back.'],
  BETS_DETACHED: [409, 'Some months of bets are detached: attach all of them first.'],
  BET_ARCHIVED: [409, 'The month of this bet is detached. Attach it first.'],
  BET_OF_PROVIDER: [409, 'Only the game provider can roll back this bet.'],
  BET_ROLLED_BACK: [409, 'The bet was already rolled back.'],
});
