import { defineModule } from '../../../http/module.ts';
import { getSkinDeposit } from './get.ts';
import { receiveSkinWebhook } from './receive.ts';
import { startSkinDeposit } from './start.ts';

export const skins = defineModule({
  name: 'skins',
  operations: [startSkinDeposit, getSkinDeposit, receiveSkinWebhook],
});
