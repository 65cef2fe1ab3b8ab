import { errors } from '../../../platform/errors.ts';

export const debugErrors = errors({
  DEBUG_TOKEN_WRONG: [
    403,
    'Wrong debug token. Send DEBUG_TOKEN in the query debug_token or the header x-debug-token.',
  ],
});
