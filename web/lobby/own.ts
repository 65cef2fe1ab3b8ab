import { queries } from '../kit/query.ts';
import { local, session } from '../kit/storage.ts';

const ME = ['GET /user/me', {}];

/** The id of the signed-in player. Undefined for visitors, and until it is known. */
export function playerId(): number | undefined {
  const me = queries.getQueryState<{ id: number }, { status?: number }>(ME);
  return me?.error?.status === 401 ? undefined : me?.data?.id;
}

/** Values of a player, which other players of the same browser do not see. */
function ofPlayer(place: typeof local) {
  const keyOf = (key: string) => `${playerId() ?? ''}.${key}`;
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
