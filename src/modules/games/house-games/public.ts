import { z } from 'zod';
import { type Operation, operation } from '../../../http/operation.ts';
import type { HouseGameDeps } from './settings.ts';

const CONFIG = /^\/casino\/games\/house\/([a-z-]+)\/config$/;

/** Creates the operation that returns the settings of every game, from those that return the settings of one game to players. */
export function publicConfigsOf(operations: readonly Operation<HouseGameDeps>[]) {
  const configs = operations.flatMap(({ path, response, handler }) => {
    const slug = CONFIG.exec(path)?.[1];
    return slug === undefined ? [] : [{ slug, response: response!, read: handler }];
  });
  return operation({
    method: 'GET',
    path: '/public/casino/games/house/configs',
    tag: 'Casino',
    access: 'anonymous',
    cache: { scope: 'public', seconds: 60 },
    summary: 'Get the limits of all house games for visitors',
    description:
      'Returns the responses of GET /casino/games/house/{game}/config by game. `info.rtp` of GET /public/casino/games is the RTP of ' +
      'every game.',
    response: z.object(Object.fromEntries(configs.map(({ slug, response }) => [slug, response]))),
    handler: (deps: HouseGameDeps) =>
      Object.fromEntries(configs.map(({ slug, read }) => [slug, read(deps, undefined)])),
  });
}
