import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import type { Base } from '../base/area.ts';
import { betTimesIn, hasIntervalsByCountry } from '../base/site-config/rules.ts';
import { createPlayerCountries } from './countries/known.ts';
import { countries } from './countries/module.ts';
import { createCountries } from './countries/service.ts';
import { createGate } from './gate/service.ts';
import { kyc } from './kyc/module.ts';
import { createKyc } from './kyc/service.ts';
import type { LimitDeps } from './limits/limits.ts';
import { limits } from './limits/module.ts';

type Before = Foundation & Base;

/** Functions of later areas. */
type Handed = Omit<LimitDeps, 'db'> & Pick<Parameters<typeof createKyc>[0], 'requiredFor' | 'onApproved'>;

export type Compliance = ReturnType<typeof createCompliance>;

/** The services of this area: countries, the gate, KYC, and functions that limits need. */
export function createCompliance(before: Before, { requiredFor, onApproved, ...forLimits }: Handed) {
  const { siteConfig } = before;
  const countries = createCountries(before);
  const gate = createGate({
    storedCountries: (tx, ids) => (countries.isAnyBlocked() ? playerCountries.storedOf(tx, ids) : undefined),
    outlook: (known) => ({
      isGeoBlocked: countries.isBlocked(known),
      isPlayOpen: siteConfig.get('COMMON').isPlayOpen,
      isDepositOpen: siteConfig.get('COMMON').isDepositOpen,
      isWithdrawOpen: siteConfig.get('WITHDRAWALS').isEnabled,
      ...betTimesIn(siteConfig.get('COMMON'), known),
    }),
  });
  const kyc = createKyc({
    ...before,
    clock: before.databaseClock,
    log: before.log.named('kyc'),
    countries,
    minimumAge: () => siteConfig.get('COMMON').minimumAge,
    requiredFor,
    onApproved,
  });
  const playerCountries = createPlayerCountries({
    db: before.db,
    countryOf: countries.countryOf,
    identityCountriesOf: kyc.identityCountriesOf,
    isPlayRuled: () => countries.isAnyBlocked() || hasIntervalsByCountry(siteConfig.get('COMMON')),
  });
  return { countries, playerCountries, gate, kyc, ...forLimits };
}

export const compliance = areaOf<Before & Compliance>([countries, limits, kyc]);
