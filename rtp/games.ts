import type { GameSlug } from '../src/modules/games/house-games/schemas.ts';

/** Games with proven returns: the house games, and the demo slot that the sandbox offers as a provider. */
export type ReturningGame = GameSlug | 'seven-orchards';
