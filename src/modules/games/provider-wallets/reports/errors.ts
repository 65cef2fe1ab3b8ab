import { errors } from '../../../../platform/errors.ts';

export const findingErrors = errors({
  FINDING_NOT_FOUND: [404, 'There is no such finding.'],
  FINDING_DECIDED: [409, 'Somebody has decided about this finding already.'],
  FINDING_NOT_APPLICABLE: [409, 'This cannot be booked as the provider reports it.'],
  FINDING_MAY_BE_FREE: [
    409,
    'The report does not say whether this bet was free, and booking it would charge the player: ask the provider, and close the finding.',
  ],
});
