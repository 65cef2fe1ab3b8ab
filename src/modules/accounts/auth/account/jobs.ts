import type { Tasks } from '../../../../platform/queue.ts';
import { FORGOT_PASSWORD } from './forgot.ts';
import type { Account } from './service.ts';

/** Does in the worker what POST /user/forgot-password has put into the queue. */
export const accountJobs = (account: Account): Tasks => ({ [FORGOT_PASSWORD]: account.sendResetLink });
