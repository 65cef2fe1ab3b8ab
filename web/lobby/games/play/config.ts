import type { Answer, Op } from '../../../../client/call.ts';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { gameOf } from './use-bet.ts';

type ConfigOp = Extract<Op, `GET /casino/games/house/${string}/config`>;
const OPEN = 'GET /public/casino/games/house/configs';

/** Returns the limits and the odds of a game, for visitors too. Undefined while they load. */
export function useConfig<O extends ConfigOp>(op: O): Answer<O> | undefined {
  const isIn = useOptionalMe() !== undefined;
  const own = useRead(op, {} as never, { isEnabled: isIn, staleMs: 60_000 });
  const open = useRead(OPEN, {}, { isEnabled: !isIn, staleMs: 60_000 });
  const all = open.data as Readonly<Record<string, Answer<O>>> | undefined;
  return isIn ? own.data : all?.[gameOf(op)];
}

/** Returns the return to player of a game in percent, from the catalogue. Undefined while it loads, or if it is not set. */
export function useRtp(slug: string): number | undefined {
  const isIn = useOptionalMe() !== undefined;
  const of = { path: { slug } };
  const own = useRead('GET /casino/games/{slug}', of, { isEnabled: isIn, staleMs: 60_000 });
  const open = useRead('GET /public/casino/games/{slug}', of, { isEnabled: !isIn, staleMs: 60_000 });
  return (isIn ? own : open).data?.info?.rtp ?? undefined;
}
