import { defineModule } from '../../../../http/module.ts';
import { deleteDue, overdueOf } from '../../../../platform/jobs/purge.ts';
import { type AuthDeps, debugAuth, getPublicKey, logIn } from './auth.ts';
import { type BookDeps, bookTransaction } from './book.ts';
import { getPlayer, issuePlayerToken, listBalances, type PlayerDeps } from './players.ts';
import { TOKEN_EXPIRY } from './service.ts';
import { debugBet, getTransaction } from './transactions.ts';

export const sportsbook = defineModule<AuthDeps & PlayerDeps & BookDeps>({
  name: 'sportsbook',
  operations: [
    logIn,
    getPublicKey,
    issuePlayerToken,
    getPlayer,
    listBalances,
    bookTransaction,
    getTransaction,
  ],
  jobs: ({ db, sportsbook: { keys } }) => [
    {
      name: 'sportsbook.tokens',
      everyMs: 3_600_000,
      run: () => deleteDue(db, TOKEN_EXPIRY),
      overdue: [overdueOf(TOKEN_EXPIRY)],
    },
    { name: 'sportsbook.keys', everyMs: 86_400_000, run: () => keys.renew() },
  ],
  start: ({ sportsbook: { game } }) => game.start(),
});

/** Served only in the local and test environments. `segment`: the sportsbook's part of the path. */
export const sportsbookDebug = (segment: string) => [...debugAuth(segment), debugBet(segment)];
