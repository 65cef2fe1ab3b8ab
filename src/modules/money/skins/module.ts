import { defineModule } from '../../../http/module.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { checks } from './checks.ts';
import { getSkinDeposit, receiveSkinWebhook, startSkinDeposit } from './deposit.ts';
import { createSkins } from './service.ts';

export const skins = defineModule({
  name: 'skins',
  tags: { 'Payments (skin marketplace)': 'Deposits of items that players sell at a skin marketplace.' },
  checks,
  create: ({ payments }: { payments: PaymentDeps }) => ({ skins: createSkins(payments) }),
  operations: [startSkinDeposit, getSkinDeposit, receiveSkinWebhook],
});
