import type { z } from 'zod';
import type { SessionUser } from '../../../../http/access.ts';
import { cancel } from './cancel.ts';
import { type ConfirmDeps, confirm } from './confirm.ts';
import { type RequestDeps, request, sendLinks, state } from './request.ts';
import type { ChangeEmail } from './schemas.ts';

export type EmailChanges = ReturnType<typeof createEmailChanges>;

/** Another e-mail address for an account, with the proof of both. */
export const createEmailChanges = (deps: RequestDeps & ConfirmDeps) => ({
  request: (caller: SessionUser, input: z.output<typeof ChangeEmail>) => request(deps, caller, input),
  state: (userId: number) => state(deps, userId),
  cancel: (userId: number) => cancel(deps.db, userId),
  confirm: (token: string, place: Parameters<typeof confirm>[2]) => confirm(deps, token, place),
  sendLinks: (payload: unknown) => sendLinks(deps, payload),
});
