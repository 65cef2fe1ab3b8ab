import { errors } from '../../../platform/errors.ts';

export const webhookErrors = errors({
  SIGNATURE_INVALID: [401, 'The signature does not prove this body, or is too old.'],
  PROVIDER_NOT_FOUND: [404, 'No provider of this name is configured.'],
});
