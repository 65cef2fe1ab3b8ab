import { errors } from '../../../../platform/errors.ts';

export const reviewErrors = errors({
  APPROVAL_NEEDED: [
    409,
    'A second person must approve this. Ask a colleague to approve details.proposalId before details.expiresAt.',
  ],
  DEPOSIT_NOT_REVIEWABLE: [
    409,
    'This action is not possible for the deposit now. See its current status and actions.',
  ],
  DEPOSIT_OWNER_REQUIRED: [409, 'This deposit has no owner yet. Assign it to a player.'],
  DEPOSIT_PROPOSAL_CHANGED: [
    409,
    'This proposal is no longer open, or the deposit has changed since. Review the deposit again.',
  ],
  SECOND_PERSON_NEEDED: [
    409,
    "A second person must approve this proposal. Their account must not be connected to the proposer's.",
  ],
});
