import type { SiteConfig } from '../../../base/site-config/service.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { Rollover } from '../../payments/rollover/service.ts';
import type { CashGrants } from '../cash.ts';

export type GrantDeps = {
  currencies: Pick<Currencies, 'toUsd' | 'rateOf'>;
  siteConfig: Pick<SiteConfig, 'get'>;
  gate: Pick<Gate, 'refusals'>;
  cashGrants: CashGrants;
  rollover: Pick<Rollover, 'add' | 'remove'>;
};
