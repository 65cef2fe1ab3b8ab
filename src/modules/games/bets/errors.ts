import { errors } from '../../../platform/errors.ts';

export const betErrors = errors({
  BET_NOT_FOUND: [404, 'No such bet.'],
  BET_NOT_SETTLED: [409, 'The bet is not settled: there is nothing to roll back yet.'],
  BETS_DETACHED: [409, 'Attach all months of bets first: sums are built anew from them.'],
  BET_ARCHIVED: [409, 'The month of this bet is being taken away, or has been: attach it first.'],
  BET_OF_PROVIDER: [409, 'Its provider has to take it back.'],
  BET_ROLLED_BACK: [409, 'The bet was rolled back before.'],
});
