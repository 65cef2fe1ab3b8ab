import { useEffect, useState } from 'react';
import type { Op } from '../../client/call.ts';
import type { Client } from '../../client/client.ts';
import type { Events, Room } from '../../client/events.ts';
import { call, onSignedOut, settings } from './api.ts';
import { queries, refresh } from './query.ts';
import { noteReturn } from './returns.ts';
import { createStore } from './store.ts';

/** Maps each event to the operations whose responses change with it. */
export type Follows = { readonly [Name in keyof Events]?: (data: Events[Name]) => readonly Op[] };

const opened = createStore<Client | undefined>(undefined);
/** The socket, while it is open or connecting. */
export const useSocket = opened.use;
const connected = createStore(false);
/** Returns true while the socket keeps the screen up to date. */
export const useIsLive = connected.use;
export const isLive = connected.get;

/** An interruption is shown if it lasts this long. */
const CUT_AFTER_MS = 5000;

/** True if the socket has not been connected for some seconds. */
export function useIsCut(): boolean {
  const isLive = useIsLive();
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    if (isLive) setCut(false);
    const timer = isLive ? undefined : setTimeout(() => setCut(true), CUT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  return isCut;
}

/**
 * Opens the socket after the page is shown. When an event arrives, repeats the requests whose responses it changed. The socket token is the
 * only part of the session that scripts can read. Returns a function that closes the socket.
 */
export function startLive(rooms: readonly Room[], follows: Follows): () => void {
  let client: Client | undefined;
  let isClosed = false;
  const open = async () => {
    const { connect } = await import('../../client/client.ts');
    if (isClosed) return;
    client = connect({
      url: settings.realtime,
      token: async () => (await call('POST /auth/socket-token', {})).token,
      rooms,
    });
    for (const [name, opsOf] of Object.entries(follows))
      client.on(
        name as keyof Events,
        (data) => void refresh(...(opsOf as (data: unknown) => readonly Op[])(data)),
      );
    opened.set(client);
    client.onResync(() => void queries.invalidateQueries());
    client.on('ready', () => {
      connected.set(true);
      noteReturn();
    });
    client.onDisconnect(() => connected.set(false));
    // The event reaches all sessions of the account. Reading the user again shows whether this session is the one that ended. A reload would
    // clear a form that the visitor has begun to fill in.
    client.on('session.revoked', () => void refresh('GET /user/me', 'GET /session'));
  };
  const later = setTimeout(() => void open(), 500);
  const close = () => {
    isClosed = true;
    clearTimeout(later);
    connected.set(false);
    opened.set(undefined);
    client?.close();
  };
  const forget = onSignedOut(close);
  return () => {
    forget();
    close();
  };
}
