import { errors } from '../../../platform/errors.ts';

export const webhookErrors = errors({
  SIGNATURE_INVALID: [401, 'The signature does not match the body or is too old.'],
  PROVIDER_NOT_FOUND: [404, 'No provider with this name is configured.'],
});
