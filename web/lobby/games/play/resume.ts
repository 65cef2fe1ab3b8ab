import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Op, Refused } from '../../../../client/call.ts';
import { call } from '../../../kit/api.ts';
import { useIsLive } from '../../../kit/live.ts';
import { asRefused } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';

type RoundOp = Extract<Op, `GET /casino/games/house/${string}`>;

/**
 * Reads the player's open round before the first bet, whenever `ask` is called, and when the connection is there again after a failure. So the
 * player can go on with it.
 */
export function useResume<O extends RoundOp>(op: O, take: (answer: Answer<O> | undefined) => void) {
  const isIn = useOptionalMe() !== undefined;
  const isLive = useIsLive();
  const [isAsking, setAsking] = useState(isIn);
  const [refused, setRefused] = useState<Refused>();
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });
  const ask = useCallback(async () => {
    setAsking(true);
    setRefused(undefined);
    try {
      latest.current(await call(op, {} as never));
    } catch (error) {
      const no = asRefused(error);
      if (no.code === 'ROUND_NOT_FOUND') latest.current(undefined);
      else setRefused(no);
    }
    setAsking(false);
  }, [op]);
  const hasFailed = refused !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failure is repeated by the effect below
  useEffect(() => {
    if (isIn && !hasFailed) void ask();
  }, [isIn, ask]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once for each new connection
  useEffect(() => {
    if (isLive && hasFailed) void ask();
  }, [isLive]);
  return { isAsking, refused, ask };
}
