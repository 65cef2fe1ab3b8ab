import { defineModule } from '../../../http/module.ts';
import { getSkinDeposit, receiveSkinWebhook, startSkinDeposit } from './deposit.ts';

export const skins = defineModule({
  name: 'skins',
  operations: [startSkinDeposit, getSkinDeposit, receiveSkinWebhook],
});
