import { userId } from '../kit/query.ts';
import { local, session } from '../kit/storage.ts';

/** Values of a player, which other players of the same browser do not see. */
function ofPlayer(place: typeof local) {
  const keyOf = (key: string) => `${userId() ?? ''}.${key}`;
  return {
    get: (key: string) => place.get(keyOf(key)),
    read: <T>(key: string, isValid: (stored: unknown) => stored is T) => place.read(keyOf(key), isValid),
    set: (key: string, value: string) => place.set(keyOf(key), value),
    remove: (key: string) => place.remove(keyOf(key)),
  };
}

export const own = ofPlayer(local);
/** Until the tab is closed. */
export const ownInTab = ofPlayer(session);
