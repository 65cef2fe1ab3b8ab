import { defineModule } from '../../../http/module.ts';
import { bind } from '../../../http/operation.ts';
import type { Route } from '../../../http/route.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { executeTestUserAction } from './act.ts';
import { createTestUser } from './create-user.ts';
import type { DebugDeps } from './debug.ts';
import { completeDeposit, simulateDeposit } from './deposit.ts';
import { giveAdmin, giveMoney } from './give.ts';
import { loginByUsername } from './login.ts';
import { emitToSockets, sendNotification, sendToSockets } from './send.ts';

const operations = [
  giveAdmin,
  giveMoney,
  createTestUser,
  executeTestUserAction,
  sendNotification,
  simulateDeposit,
  completeDeposit,
  emitToSockets,
  sendToSockets,
  loginByUsername,
];

/** These operations are available only in development. */
export const debug = defineModule({
  name: 'debug',
  tags: { Debug: 'Shortcuts for development: play money, test users and sign-in by username.' },
  routes: (s: DebugDeps) => (s.config.isDevelopment ? bind(operations, s) : []),
});

/** The demo sets the database clock back by weeks. A smaller difference is an ordinary clock error. */
const MAX_CLOCK_ERROR_MS = 3_600_000;
const RETRY_SECONDS = 10;

const isSignIn = ({ path }: Route): boolean =>
  path.startsWith('/auth/') || path.startsWith('/user/passkeys/sign-in');

/**
 * Rejects sign-ups and sign-ins with 503 SERVICE_UNAVAILABLE while the demo fills a month with data. The demo sets the clock of a
 * developer's database back for this, so an account opened before the clock is correct again would appear to be weeks old.
 */
export const closeEntrances = (routes: readonly Route[], clock: Pick<DatabaseClock, 'now'>): Route[] =>
  routes.map((route) => {
    if (!isSignIn(route)) return route;
    const handler: Route['handler'] = (context) => {
      if (Math.abs(Date.now() - clock.now()) > MAX_CLOCK_ERROR_MS)
        throw commonErrors.SERVICE_UNAVAILABLE({
          retryAfterSeconds: RETRY_SECONDS,
          reason: 'The demo is still creating its data. Sign in once it has finished.',
        });
      return route.handler(context);
    };
    return { ...route, handler };
  });
