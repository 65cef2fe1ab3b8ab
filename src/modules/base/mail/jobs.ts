import type { Tasks } from '../../../platform/queue.ts';
import { type Mail, SEND_MAIL } from './service.ts';

/** Sends what `mail.send` has put into the queue. A mail that is sent again after a crash has the same Message-ID. */
export const mailJobs = (mail: Mail): Tasks => ({ [SEND_MAIL]: mail.deliver });
