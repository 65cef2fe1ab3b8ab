import type { Area, Foundation } from '../../foundation.ts';
import { remount } from '../../http/route.ts';
import type { Base } from '../base/area.ts';
import { betTimesIn } from '../base/site-config/rules.ts';
import { countryRoutes } from './countries/routes.ts';
import { createCountries } from './countries/service.ts';
import { countryStaffRoutes } from './countries/staff.routes.ts';
import { createGate } from './gate/service.ts';
import { kycRoutes } from './kyc/routes.ts';
import { createKyc } from './kyc/service.ts';
import { kycStaffRoutes } from './kyc/staff.routes.ts';
import { limitRoutes } from './limits/routes.ts';
import { createLimits } from './limits/service.ts';
import { limitStaffRoutes } from './limits/staff.routes.ts';

type Before = Foundation & Base;

/** What later areas know of a player, and what they do once a tier is approved. */
type Handed = Pick<Parameters<typeof createLimits>[0], 'playSince' | 'depositedOf' | 'endGrants'> &
  Pick<Parameters<typeof createKyc>[0], 'requiredFor' | 'onApproved'>;

export type Compliance = ReturnType<typeof createCompliance>;

/** Who may play and move money, from where, how much, and what they have to prove. */
export function createCompliance(before: Before, { requiredFor, onApproved, ...ofPlayers }: Handed) {
  const { siteConfig } = before;
  const countries = createCountries(before);
  const gate = createGate({
    outlook: (country) => ({
      isGeoBlocked: countries.isBlocked(country),
      isPlayOpen: siteConfig.get('COMMON').isPlayOpen,
      isDepositOpen: siteConfig.get('COMMON').isDepositOpen,
      isWithdrawOpen: siteConfig.get('WITHDRAWALS').isEnabled,
      ...betTimesIn(siteConfig.get('COMMON'), country),
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
  return { countries, gate, kyc, userLimits: createLimits({ ...before, ...ofPlayers }) };
}

export const compliance: Area<Before & Compliance> = {
  routes: (s) => [
    ...countryRoutes(s.countries),
    ...countryStaffRoutes(s.countries),
    ...limitRoutes(s.userLimits),
    ...limitStaffRoutes(s.userLimits),
    ...kycRoutes(s.kyc),
    ...kycStaffRoutes(s.kyc),
  ],
  backofficeRoutes: (s) => remount(limitStaffRoutes(s.userLimits), { without: '/admin', tag: 'User Limits' }),
  jobs: (s) => [
    { name: 'kyc.expire', everyMs: 10_000, run: () => s.kyc.expire() },
    { name: 'limits.exclusions-ended', everyMs: 10_000, run: () => s.userLimits.notifyEnded() },
  ],
  start: (s) => s.countries.start(),
  close: (s) => s.countries.close(),
};
