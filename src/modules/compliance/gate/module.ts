import { defineModule } from '../../../http/module.ts';
import { betTimesIn } from '../../base/site-config/rules.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { createGate, type GateDeps } from './service.ts';

type Before = {
  siteConfig: SiteConfig;
  countries: {
    isAnyBlocked: () => boolean;
    isBlocked: (known: Parameters<GateDeps['outlook']>[0]) => boolean;
  };
  playerCountries: { storedOf: GateDeps['storedCountries'] };
};

/** Checks whether players may play, deposit, withdraw and receive bonuses. */
export const gate = defineModule({
  name: 'gate',
  create: ({ siteConfig, countries, playerCountries }: Before) => ({
    gate: createGate({
      storedCountries: (tx, ids) =>
        countries.isAnyBlocked() ? playerCountries.storedOf(tx, ids) : undefined,
      outlook: (known) => ({
        isGeoBlocked: countries.isBlocked(known),
        isPlayOpen: siteConfig.get('COMMON').isPlayOpen,
        isDepositOpen: siteConfig.get('COMMON').isDepositOpen,
        isWithdrawOpen: siteConfig.get('WITHDRAWALS').isEnabled,
        ...betTimesIn(siteConfig.get('COMMON'), known),
      }),
    }),
  }),
});
