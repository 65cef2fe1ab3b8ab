import { defineModule } from '../../../http/module.ts';
import { claimRakeback } from './claim.ts';
import { findRakeback, getClaimableUsd, getRakeback } from './list.ts';

export const rakeback = defineModule({
  name: 'rakeback',
  operations: [getRakeback, claimRakeback, findRakeback, getClaimableUsd],
  backoffice: { operations: [findRakeback], without: '/admin', tag: 'Rakeback' },
});
