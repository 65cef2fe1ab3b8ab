import { errors } from '../../../../platform/errors.ts';

export const findingErrors = errors({
  FINDING_NOT_FOUND: [404, 'There is no such finding.'],
  FINDING_DECIDED: [409, 'Somebody has decided about this finding already.'],
  FINDING_NOT_APPLICABLE: [409, 'This cannot be booked as the provider reports it.'],
});
