import { local } from '../kit/storage.ts';
import { createStore } from '../kit/store.ts';

const KEY = 'wasSignedIn';
const ended = createStore(false);

/** True if this browser was signed in until its session ended, so that the visitor is offered a way back. */
export const useHasEnded = ended.use;

/** True if the page's last visitor was signed in. The player's part of the frame is then loaded early. */
export const wasSignedIn = (): boolean => local.get(KEY) !== undefined;

export function noteSignedIn(): void {
  local.set(KEY, 'true');
  ended.set(false);
}

/** Call when the server reports that there is no session. */
export function noteSignedOut(): void {
  if (wasSignedIn()) ended.set(true);
  local.remove(KEY);
}

/** Call before the request that signs the player out. The socket may report the end of the session before the response arrives. */
export const forgetSignedIn = (): void => local.remove(KEY);
