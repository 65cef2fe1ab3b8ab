import { commonErrors } from '../platform/errors.ts';

/** The permissions that staff may hold: modules add the names of theirs (src/modules/base/declared.ts). */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled elsewhere
export interface Permissions {}
export type Permission = keyof Permissions;

/**
 * Who may call a route. `permission` names the right that staff needs (SuperAdmin has all of them); `apikey` and
 * `signature` are proven by the handler's service from headers and the raw body: of a signed route `body` and `headers` are for the
 * document alone.
 */
export type Access =
  | 'anonymous'
  | 'auth'
  | { permission: Permission }
  | 'superadmin'
  | 'apikey'
  | 'signature';

/** Who is calling, as far as access is concerned. */
export type SessionUser = {
  id: number;
  sessionId: string;
  isStaff: boolean;
  isSuperAdmin: boolean;
  /** Whether the rights of this account count: mail verified, password of its owner's own. Without it there are no permissions. */
  isActivated: boolean;
  /** Rights of their roles and those given to them alone. */
  permissions: ReadonlySet<string>;
  /** Staff who have to prove a second factor before any route of staff answers. */
  isMfaMissing: boolean;
};

/** Turns an access token into its user. `peek` answers at once or not at all; `verify` may ask the database. */
export type Authenticator = {
  peek(token: string): SessionUser | undefined;
  verify(token: string): Promise<SessionUser>;
};

/** Turns the header x-api-key into the user whose key it is; throws 401 API_KEY_INVALID. */
export type ApiKeyCheck = (key: string | undefined) => Promise<ApiClient>;
export type ApiClient = { userId: number; keyId: string };
/** Throws 403 MFA_REQUIRED, 400 MFA_INVALID or 429 RATE_LIMITED unless this session proves its second factor, with the code or before. */
export type StepUp = (user: SessionUser, mfaCode: string | undefined) => Promise<void>;

/**
 * A call of a route for staff: who does what, for the rules that look at the actor and for the audit. A service that changes
 * something writes its audit row in the transaction of the change and sets `isRecorded`; every other call (reads,
 * refusals) is written by the kit.
 */
export type StaffCall = {
  readonly user: SessionUser;
  readonly service: string;
  readonly method: string;
  /** As called, without the query. */
  readonly path: string;
  /** The right that the route asks for: a permission, or `superadmin`. */
  readonly permission: string;
  readonly body: unknown;
  /** The header x-mfa-code of a route whose step-up is for its service to decide. */
  readonly mfaCode?: string | undefined;
  readonly ip: string;
  readonly requestId: string;
  /** Status of the answer when all goes well. */
  readonly status: number;
  isRecorded: boolean;
};

/** Writes the row of a call that no service has written. */
export type Audit = (call: StaffCall, status: number) => Promise<void>;

/** The right that a route for staff asks for; undefined for all other routes. */
export function staffRight(access: Access): string | undefined {
  if (typeof access === 'object') return access.permission;
  return access === 'superadmin' ? access : undefined;
}

/** Throws 401 or 403 unless the caller may pass. */
export function assertAccess(access: Access, user: SessionUser | undefined): void {
  if (access === 'anonymous' || access === 'apikey' || access === 'signature') return;
  if (!user) throw commonErrors.UNAUTHORIZED();
  if (access === 'auth') return;
  if (user.isStaff && !user.isActivated) throw commonErrors.STAFF_NOT_ACTIVATED();
  if (!user.isSuperAdmin) {
    if (access === 'superadmin') throw commonErrors.FORBIDDEN();
    if (!user.isStaff || !user.permissions.has(access.permission)) throw commonErrors.FORBIDDEN();
  }
  if (user.isMfaMissing) throw commonErrors.MFA_REQUIRED();
}

/** Who a request comes from, as whatever settles bets takes it. */
export type Caller = {
  userId: number;
  /** Address of the client. */
  ip: string;
  /** From the header Idempotency-Key, on routes with `idempotent`. */
  idempotencyKey: string | undefined;
};

const LABELS: Record<string, string> = {
  anonymous: 'Anonymous',
  auth: 'Auth',
  superadmin: 'SuperAdmin',
  apikey: 'ApiKey',
  signature: 'Signature',
};

/** The access label that ends every summary: Anonymous, Auth, Permission, SuperAdmin, ApiKey, Signature. */
export function accessLabel(access: Access): string {
  return typeof access === 'object' ? 'Permission' : LABELS[access]!;
}

/** Whether a route declares who may call it. */
export function isAccess(access: unknown): boolean {
  if (typeof access === 'string') return Object.hasOwn(LABELS, access);
  return (
    typeof access === 'object' &&
    access !== null &&
    typeof (access as { permission?: unknown }).permission === 'string'
  );
}
