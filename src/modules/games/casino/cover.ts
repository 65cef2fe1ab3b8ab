import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Id, Svg, text } from '../../../http/schemas.ts';
import { drawCover } from '../covers/draw.ts';
import { casinoErrors } from './schemas.ts';
import type { CasinoDeps } from './service.ts';

export const getCover = operation({
  method: 'GET',
  path: '/covers/{slug}.svg',
  tag: 'Casino',
  access: 'anonymous',
  limit: 'file',
  cache: { scope: 'public', seconds: 300 },
  summary: 'Get the drawn cover of a game',
  description:
    'The catalogue returns this address in `images` for games without a picture of their provider. The server ignores `v`, which ' +
    'changes with the cover, so that clients do not show a cached cover after a change.',
  params: z.object({ slug: Id }),
  query: z.strictObject({ v: text(16).optional() }),
  response: Svg,
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: ({ catalogue }: CasinoDeps, { params }) => {
    const game = catalogue.state.now().bySlug.get(params.slug);
    if (!game) throw casinoErrors.GAME_NOT_FOUND();
    return drawCover(catalogue.coverOf(game));
  },
});
