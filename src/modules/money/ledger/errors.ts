import { errors } from '../../../platform/errors.ts';

export const ledgerErrors = errors({
  ENTRY_KEY_REUSED: [409, 'This ledger entry already exists with different postings.'],
  INSUFFICIENT_VAULT: [400, 'The vault holds less than this amount.'],
  INSUFFICIENT_BONUS: [400, 'The bonus balance is too small for this amount.'],
  INSUFFICIENT_HOLD: [409, 'The held amount is smaller than the requested amount.'],
  CLAIMS_OPEN: [
    409,
    'The player still owes money from a reversed credit; see details.owed. New credits repay it first.',
  ],
  PLAYER_NOT_FOUND: [404, 'No such player.'],
});
