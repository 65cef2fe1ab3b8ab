import type { Answer } from '../../../../client/call.ts';
import { useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { isRevealing } from '../../balances.ts';
import { autoplay } from './use-bet.ts';

export type Row = Answer<'GET /live-bets/my'>[number];

const READ = 100;
const MOST = 8;
const NONE: readonly Row[] = [];

/** The player's last bets on the game. They are not read while an outcome is being revealed, so that the list does not reveal it early. */
export function useMyBets(game: string): readonly Row[] {
  const isIn = useOptionalMe() !== undefined;
  const isRunning = autoplay.use();
  const isBusy = isRevealing.use() || isRunning;
  const { data = NONE } = useRead(
    'GET /live-bets/my',
    { query: { count: READ } },
    { isEnabled: isIn && !isBusy },
  );
  return data
    .filter(({ gameIdentity, status }) => gameIdentity.slug === game && status === 'SETTLED')
    .slice(0, MOST);
}
