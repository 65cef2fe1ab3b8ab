import { defineModule } from '../../../../http/module.ts';
import { bind } from '../../../../http/operation.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { whileStarting } from '../../../../platform/database/while-starting.ts';
import { deleteDue, overdueOf } from '../../../../platform/jobs/purge.ts';
import type { Logs } from '../../../../platform/observability/log.ts';
import { type AuthDeps, debugAuth, getPublicKey, logIn } from './auth.ts';
import { type BookDeps, bookTransaction } from './book.ts';
import { getPlayer, issuePlayerToken, listBalances, type PlayerDeps } from './players.ts';
import { createSportsbook, TOKEN_EXPIRY } from './service.ts';
import { debugBet, getTransaction } from './transactions.ts';

type Services = AuthDeps & PlayerDeps & BookDeps & { config: Config; log: Logs };

export const sportsbook = defineModule({
  name: 'sportsbook',
  create: (before: Parameters<typeof createSportsbook>[0]) => ({ sportsbook: createSportsbook(before) }),
  operations: [
    logIn,
    getPublicKey,
    issuePlayerToken,
    getPlayer,
    listBalances,
    bookTransaction,
    getTransaction,
  ],
  routes: (s: Services) =>
    s.config.isDevelopment ? bind(debugOperations(s.config.SPORTSBOOK_SEGMENT), s) : [],
  jobs: ({ db, sportsbook: { keys } }: Services) => [
    {
      name: 'sportsbook.tokens',
      everyMs: 3_600_000,
      run: () => deleteDue(db, TOKEN_EXPIRY),
      overdue: [overdueOf(TOKEN_EXPIRY)],
    },
    { name: 'sportsbook.keys', everyMs: 86_400_000, run: () => keys.renew() },
  ],
  start: ({ sportsbook: { game }, log, config }: Services) =>
    whileStarting({ what: 'sportsbook', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, () =>
      game.start(),
    ),
});

/** Served only in development. `segment`: the path segment of the sportsbook. */
const debugOperations = (segment: string) => [...debugAuth(segment), debugBet(segment)];
