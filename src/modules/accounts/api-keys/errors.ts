import { errors } from '../../../platform/errors.ts';

export const apiKeyErrors = errors({
  API_KEY_NOT_FOUND: [404, 'This user has no API key; POST makes one.'],
});
