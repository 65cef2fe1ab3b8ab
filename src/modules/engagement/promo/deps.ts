import type { Db } from '../../../platform/db.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Countries } from '../../compliance/countries/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import type { FreeRoundsService } from '../../games/provider-wallets/free-rounds/service.ts';
import type { createGrants } from '../../money/bonus/grants.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import type { SlugsOf } from './show.ts';

export type PromoServices = {
  db: Db;
  /** For lists of staff, which may be a little old. */
  reads: Db;
  gate: Gate;
  countries: Pick<Countries, 'countryOf'>;
  kyc: Pick<Kyc, 'statedCountryOf'>;
  siteConfig: Pick<SiteConfig, 'get'>;
  currencies: Pick<Currencies, 'find' | 'get' | 'rateOf' | 'freshRate' | 'toUsd'>;
  grants: Pick<ReturnType<typeof createGrants>, 'issue' | 'end'>;
  catalogue: Pick<Catalogue, 'state'>;
  freeRounds: Pick<FreeRoundsService, 'canGive' | 'scaleOf' | 'order'>;
};

export type PromoDeps = PromoServices & {
  /** Which games lists come to. */
  slugsOf: SlugsOf;
};
