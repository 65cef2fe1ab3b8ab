import { defineModule } from '../../../http/module.ts';
import { rakebackEvents } from './accrue.ts';
import { claimRakeback } from './claim.ts';
import { findRakeback, getClaimableUsd, getRakeback } from './list.ts';

export const rakeback = defineModule({
  name: 'rakeback',
  events: rakebackEvents,
  tags: {
    Rakeback:
      'A share of the house edge that players can claim. In the backoffice: the rakeback of all players.',
    'Admin Rakeback': 'The rakeback of all players.',
  },
  operations: [getRakeback, claimRakeback, findRakeback, getClaimableUsd],
  backoffice: { operations: [findRakeback], without: '/admin', tag: 'Rakeback' },
});
