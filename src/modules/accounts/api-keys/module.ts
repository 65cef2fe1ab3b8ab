import { defineModule } from '../../../http/module.ts';
import { createKey, deleteKey, getKey } from './keys.ts';

const operations = [createKey, getKey, deleteKey];

export const apiKeys = defineModule({
  name: 'api-keys',
  operations,
  backoffice: { operations, without: '/admin', tag: 'Api Keys' },
});
