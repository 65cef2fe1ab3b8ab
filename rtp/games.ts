import type { GameSlug } from '../src/modules/games/house-games/schemas.ts';

/** The games whose returns are proven: the house's own, and the demo slot that the sandbox offers as a provider of games. */
export type ReturningGame = GameSlug | 'seven-orchards';
