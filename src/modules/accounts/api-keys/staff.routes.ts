import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { apiKeyErrors } from './errors.ts';
import { ApiKey, ApiKeyOwner, ApiKeyPath } from './schemas.ts';
import type { ApiKeys } from './service.ts';

const tag = 'Admin Key';
const change = { tag, access: { permission: 'apikey.write' }, gate: 'none', stepUp: true } as const;

export const apiKeyStaffRoutes = (apiKeys: ApiKeys) => [
  route({
    ...change,
    method: 'POST',
    path: '/admin/api-keys',
    summary: "Create a user's API key, in place of the one before",
    description: 'The key is only shown in this response: its hash alone is stored.',
    body: ApiKeyOwner,
    response: ApiKey,
    errors: [userErrors.USER_NOT_FOUND, userErrors.BOT_ACCOUNT, commonErrors.OWN_ACCOUNT],
    handler: ({ by, body }) => apiKeys.create(by, body.userId),
  }),
  route({
    method: 'GET',
    path: '/admin/api-keys/{userId}',
    tag,
    access: { permission: 'apikey.read' },
    summary: "A user's API key, masked",
    params: ApiKeyPath,
    response: ApiKey,
    errors: [apiKeyErrors.API_KEY_NOT_FOUND],
    handler: ({ params }) => apiKeys.get(params.userId),
  }),
  route({
    ...change,
    method: 'DELETE',
    path: '/admin/api-keys/{userId}',
    summary: "Revoke a user's API key",
    params: ApiKeyPath,
    status: 204,
    errors: [apiKeyErrors.API_KEY_NOT_FOUND, commonErrors.OWN_ACCOUNT],
    handler: ({ by, params }) => apiKeys.revoke(by, params.userId),
  }),
];
