import { errors } from '../../platform/errors.ts';

export const debugErrors = errors({
  DEBUG_TOKEN_WRONG: [403, 'debug_token is not the DEBUG_TOKEN of this environment.'],
});
