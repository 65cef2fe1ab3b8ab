import type { PaymentDeps } from '../payments/deps.ts';
import { createMarketplace } from './marketplace.ts';
import { createSkinWebhooks } from './webhooks.ts';

export type Skins = ReturnType<typeof createSkins>;

/** The marketplace's client, and the receiver of its webhooks. */
export function createSkins(deps: PaymentDeps) {
  const marketplace = createMarketplace(deps);
  return { marketplace, receive: createSkinWebhooks({ ...deps, marketplace }) };
}
