import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import { createKey, deleteKey, getKey } from './keys.ts';
import { createApiKeys } from './service.ts';

const operations = [createKey, getKey, deleteKey];

export const apiKeys = defineModule({
  name: 'api-keys',
  tags: {
    'Admin Key': "API keys of partners' programs.",
    'Api Keys': "API keys of partners' programs.",
  },
  create: ({ db }: { db: Db }) => ({ apiKeys: createApiKeys(db) }),
  operations,
  backoffice: { operations, without: '/admin', tag: 'Api Keys' },
});
