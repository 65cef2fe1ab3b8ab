import { Refused } from '../../client/call.ts';

/** An object that a search found. `kind` decides the page to which it leads. */
export type Hit = {
  kind: 'player' | 'withdrawal' | 'deposit' | 'bet' | 'game' | 'promotion';
  /** The id in the address of its page. */
  id: string;
  title: string;
  subtitle: string | null;
  state: string | null;
};
type Found = { groups: readonly { kind: Hit['kind']; hits: readonly Hit[] }[] };

/** Returns the page of an object. */
export const pageOf = ({ kind, id }: Pick<Hit, 'kind' | 'id'>): string =>
  `${{ player: '/users', withdrawal: '/withdrawals', deposit: '/deposits', bet: '/bets', game: '/games', promotion: '/promo' }[kind]}/${encodeURIComponent(id)}`;

/** Searches everything that this account may see. Staff who may see nothing find nothing. */
export async function searchAll(text: string, signal: AbortSignal): Promise<readonly Hit[]> {
  const answer = await fetch(`/admin/search?${new URLSearchParams({ q: text })}`, { signal });
  if (answer.status === 403 || answer.status === 404) return [];
  if (!answer.ok) throw new Refused(answer.status, await answer.json());
  return ((await answer.json()) as Found).groups.flatMap(({ hits }) => hits);
}
