import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Op, Refused } from '../../../client/call.ts';
import { call } from '../../kit/api.ts';
import { asRefused } from '../../kit/query.ts';

type RoundOp = Extract<Op, `GET /casino/games/house/${string}`>;

/** Reads the player's open round before the first bet, and again whenever `ask` is called, so that the player can resume it. */
export function useResume<O extends RoundOp>(op: O, take: (answer: Answer<O> | undefined) => void) {
  const [isAsking, setAsking] = useState(true);
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
  useEffect(() => void ask(), [ask]);
  return { isAsking, refused, ask };
}
