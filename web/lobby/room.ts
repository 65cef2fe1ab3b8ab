import { useEffect, useRef, useState } from 'react';
import type { Events, Room } from '../../client/events.ts';
import { useSocket } from '../kit/live.ts';

type Heard = { readonly [Name in keyof Events]?: (data: Events[Name]) => void };

/** Handles events while the component is mounted. Joins the room for that time, unless it is `public`, which every player is always in. */
export function useRoom(room: Room, heard: Heard): void {
  const client = useSocket();
  const latest = useRef(heard);
  useEffect(() => {
    latest.current = heard;
  });
  useEffect(() => {
    if (!client) return;
    const ends = (Object.keys(latest.current) as (keyof Events)[]).map((name) =>
      client.on(name, (data) => (latest.current[name] as ((of: unknown) => void) | undefined)?.(data)),
    );
    if (room !== 'public') client.subscribe(room).catch(() => undefined);
    return () => {
      for (const end of ends) end();
      if (room !== 'public') client.unsubscribe(room).catch(() => undefined);
    };
  }, [client, room]);
}

/**
 * Returns the id of the last of the player's bets on this game that have been settled since the page was opened. It is used for games whose
 * responses do not contain the id.
 */
export function useSettledBet(slug: string): string | undefined {
  const [settled, setSettled] = useState<string>();
  useRoom('public', {
    'bet.settled': ({ gameIdentity, betId }) => {
      if (gameIdentity.slug === slug) setSettled(betId);
    },
  });
  return settled;
}
