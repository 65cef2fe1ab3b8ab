import { commonErrors } from '../platform/errors.ts';

/** The permissions that staff may have. The names are in src/modules/base/access/permissions.ts. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled elsewhere
export interface Permissions {}
export type Permission = keyof Permissions;

/**
 * Defines who may call a route.
 * - `permission` is the permission that a staff member needs. A superadmin has all permissions.
 * - `anyOf` lists permissions of which a staff member needs one. The handler decides what each of them shows. Only for reads: a
 *   change names one permission, which `freshActor` checks again.
 * - `staff` is every activated staff member. Use it for data of the caller, such as saved views.
 * - `apikey` and `signature` are verified by the handler's service, which reads the headers and the raw body. On a signed route, `body`
 * and `headers` are used only for the API reference.
 */
export type Access =
  | 'anonymous'
  | 'auth'
  | { permission: Permission }
  | { anyOf: readonly Permission[] }
  | 'staff'
  | 'superadmin'
  | 'apikey'
  | 'signature';

/** The data about the caller that access checks use. */
export type SessionUser = {
  id: number;
  sessionId: string;
  isStaff: boolean;
  isSuperAdmin: boolean;
  /** True once the email address is verified and the owner has set a password. Until then, a staff member has no permissions. */
  isActivated: boolean;
  /** Permissions from the user's roles and permissions granted to the user directly. */
  permissions: ReadonlySet<string>;
  /** True if the staff member must set up a second factor before using any staff route. */
  isMfaMissing: boolean;
};

/**
 * How a staff operation affects player funds.
 * - `pays`: credits or debits money, or starts something that will pay.
 * - `configures`: sets up something that will pay once another operation starts it.
 * - `reattributes`: decides who receives later earnings, or how much they receive.
 * - `returns`: returns or forwards money that already belonged to the player. The staff-value policy does not count this money.
 */
export type CreatesValue = 'pays' | 'configures' | 'reattributes' | 'returns';

/**
 * Resolves an access token to its user. `peek` returns the user immediately if it is in memory, otherwise undefined. `verify` may query the
 * database.
 */
export type Authenticator = {
  peek(token: string): SessionUser | undefined;
  verify(token: string): Promise<SessionUser>;
};

/** Looks up the API key in the header x-api-key and returns the key and its user. Throws 401 API_KEY_INVALID. */
export type ApiKeyCheck = (key: string | undefined) => Promise<ApiClient>;
export type ApiClient = { userId: number; keyId: string };
/**
 * Checks the second factor of this session: either the given code, or a recent verification. Throws 403 MFA_REQUIRED, 400 MFA_INVALID or
 * 429 RATE_LIMITED.
 */
export type StepUp = (user: SessionUser, mfaCode: string | undefined) => Promise<void>;

/**
 * A call to a staff route. It is used by the audit log and by rules that depend on the staff member. A service that changes data writes its
 * audit entry in the same transaction and sets `isRecorded`. The HTTP layer records every other call: reads and rejected calls.
 */
export type StaffCall = {
  readonly user: SessionUser;
  readonly service: string;
  readonly method: string;
  /** The requested path without the query. */
  readonly path: string;
  /** The permission that the route requires, or `staff` or `superadmin`. */
  readonly permission: string;
  /** How the operation affects player funds, as declared by its route. */
  readonly createsValue?: CreatesValue | undefined;
  readonly body: unknown;
  /** The header x-mfa-code, on routes whose service decides whether step-up is required. */
  readonly mfaCode?: string | undefined;
  readonly ip: string;
  readonly requestId: string;
  /** The response status on success. */
  readonly status: number;
  isRecorded: boolean;
};

/** Writes the audit log entry of a call that the service has not recorded. `after` is the outcome of an export. */
export type Audit = (call: StaffCall, status: number, after?: object) => Promise<void>;

/** Returns the permissions of which a staff member needs one. The result is empty if the route requires no permission. */
export function permissionsFor(access: Access): readonly Permission[] {
  if (typeof access !== 'object') return [];
  return 'anyOf' in access ? access.anyOf : [access.permission];
}

/** Returns the permission that a staff route requires, or undefined for other routes. Alternatives are joined by "or". */
export function staffRight(access: Access): string | undefined {
  if (typeof access === 'object') return permissionsFor(access).join(' or ');
  return access === 'superadmin' || access === 'staff' ? access : undefined;
}

/** Throws 401 or 403 unless the caller may use the route. */
export function assertAccess(access: Access, user: SessionUser | undefined): void {
  if (access === 'anonymous' || access === 'apikey' || access === 'signature') return;
  if (!user) throw commonErrors.UNAUTHORIZED();
  if (access === 'auth') return;
  if (user.isStaff && !user.isActivated) throw commonErrors.STAFF_NOT_ACTIVATED();
  if (!user.isSuperAdmin) {
    if (access === 'superadmin') throw commonErrors.FORBIDDEN();
    if (!user.isStaff) throw commonErrors.FORBIDDEN();
    const isHeld = permissionsFor(access).some((permission) => user.permissions.has(permission));
    if (access !== 'staff' && !isHeld) throw commonErrors.FORBIDDEN();
  }
  if (user.isMfaMissing) throw commonErrors.MFA_REQUIRED();
}

/** The data about the caller that bet settlement needs. */
export type Caller = {
  userId: number;
  /** The client's address. */
  ip: string;
  /** The header Idempotency-Key, on routes with `idempotent`. */
  idempotencyKey: string | undefined;
};

const LABELS: Record<string, string> = {
  anonymous: 'Anonymous',
  auth: 'Auth',
  staff: 'Staff',
  superadmin: 'SuperAdmin',
  apikey: 'ApiKey',
  signature: 'Signature',
};

/**
 * Returns the access label that is appended to every operation summary: Anonymous, Auth, Permission, Staff, SuperAdmin, ApiKey or
 * Signature.
 */
export function accessLabel(access: Access): string {
  return typeof access === 'object' ? 'Permission' : LABELS[access]!;
}

/** Returns true if the value is a valid access declaration. */
export function isAccess(access: unknown): boolean {
  if (typeof access === 'string') return Object.hasOwn(LABELS, access);
  if (typeof access !== 'object' || access === null) return false;
  const { permission, anyOf } = access as { permission?: unknown; anyOf?: unknown };
  return typeof permission === 'string' || (Array.isArray(anyOf) && anyOf.length > 0);
}
