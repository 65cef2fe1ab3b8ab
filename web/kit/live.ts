import type { Op } from '../../client/call.ts';
import type { Client } from '../../client/client.ts';
import type { Events, Room } from '../../client/events.ts';
import { call, onSignedOut, settings } from './api.ts';
import { queries, refresh } from './query.ts';
import { createStore } from './store.ts';

/** Which operations answer something else once an event has come. */
export type Follows = { readonly [Name in keyof Events]?: (data: Events[Name]) => readonly Op[] };

const opened = createStore<Client | undefined>(undefined);
/** The socket, while it is open or being opened. */
export const useSocket = opened.use;
const connected = createStore(false);
/** Whether what is on the screen is kept up to date by itself. */
export const useIsLive = connected.use;
export const isLive = connected.get;

/**
 * Opens the socket after the page is there, and reads again what events have changed. Its token is the one thing that scripts hold of the
 * session. Answers how it is closed.
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
    client.on('ready', () => connected.set(true));
    client.onDisconnect(() => connected.set(false));
    // All sessions of an account are told which one has ended.
    client.on(
      'session.revoked',
      () =>
        void call('GET /user/me', {}).then(
          () => refresh('GET /session'),
          () => window.location.reload(),
        ),
    );
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
