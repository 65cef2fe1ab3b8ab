import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';

const ONE = 'GET /admin/user/{id}';

/** Returns the name of a player, or the id while the name is not known. */
export function usePlayerName(id: number): string {
  const isKnown = useMissing(ONE) === undefined;
  const one = useRead(ONE, { path: { id } }, { isEnabled: isKnown && id > 0, staleMs: 60_000 });
  return one.data && one.data.id === id ? one.data.username : `#${id}`;
}
