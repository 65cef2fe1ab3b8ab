import { commonErrors } from '../platform/errors.ts';
import type { Access } from './route.ts';

/** Who is calling, as far as access is concerned. */
export type SessionUser = {
  id: number;
  sessionId: string;
  isStaff: boolean;
  isSuperAdmin: boolean;
  permissions: ReadonlySet<string>;
};

/** Turns an access token into its user. `peek` answers at once or not at all; `verify` may ask the database. */
export type Authenticator = {
  peek(token: string): SessionUser | undefined;
  verify(token: string): Promise<SessionUser>;
};

/** Throws 401 or 403 unless the caller may pass. */
export function assertAccess(access: Access, user: SessionUser | undefined): void {
  if (access === 'anonymous' || access === 'apikey' || access === 'signature') return;
  if (!user) throw commonErrors.UNAUTHORIZED();
  if (access === 'auth' || user.isSuperAdmin) return;
  if (access === 'superadmin') throw commonErrors.FORBIDDEN();
  if (!user.isStaff || !user.permissions.has(access.permission)) throw commonErrors.FORBIDDEN();
}
