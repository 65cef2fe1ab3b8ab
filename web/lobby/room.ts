import { useEffect, useRef } from 'react';
import type { Events, Room } from '../../client/events.ts';
import { useSocket } from '../kit/live.ts';

/** Number of components that use each room. The last one unsubscribes. */
const inside = new Map<Room, number>();

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
    // Also if another component is in the room already, because the server responds with the room's current state.
    if (room !== 'public') client.subscribe(room).catch(() => undefined);
    inside.set(room, (inside.get(room) ?? 0) + 1);
    return () => {
      for (const end of ends) end();
      const others = inside.get(room)! - 1;
      inside.set(room, others);
      if (room !== 'public' && others === 0) client.unsubscribe(room).catch(() => undefined);
    };
  }, [client, room]);
}
