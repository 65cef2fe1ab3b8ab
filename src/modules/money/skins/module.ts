import { defineModule } from '../../../http/module.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { getSkinDeposit } from './get.ts';
import { receiveSkinWebhook } from './receive.ts';
import { createSkins } from './service.ts';
import { startSkinDeposit } from './start.ts';

export const skins = defineModule({
  name: 'skins',
  create: ({ payments }: { payments: PaymentDeps }) => ({ skins: createSkins(payments) }),
  operations: [startSkinDeposit, getSkinDeposit, receiveSkinWebhook],
});
