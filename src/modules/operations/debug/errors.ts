import { errors } from '../../../platform/errors.ts';

export const debugErrors = errors({
  DEBUG_TOKEN_WRONG: [
    403,
    'The query debug_token, or the header x-debug-token, is not the DEBUG_TOKEN of this environment.',
  ],
});
