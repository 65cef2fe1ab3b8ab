import { createContext, type ReactNode, use } from 'react';
import type { Answer, Op } from '../../client/call.ts';

type Me = Answer<'GET /user/me'>;
const Session = createContext<Me | undefined>(undefined);

/** Provides the signed-in user to all child components. */
export const SignedIn = ({ me, children }: { me: Me; children: ReactNode }) => (
  <Session value={me}>{children}</Session>
);

/** Returns the signed-in user, or undefined for a visitor. */
export const useOptionalMe = (): Me | undefined => use(Session);

export function useMe(): Me {
  const me = use(Session);
  if (!me) throw new Error('nobody is signed in');
  return me;
}

let rights: Readonly<Partial<Record<Op, string | readonly string[]>>> = {};
/** Sets the permissions that operations require. Only the console needs them, because players have none. */
export function knowRights(all: typeof rights): void {
  rights = all;
}

/**
 * Returns the permission that the operation requires and this account lacks, or undefined if the account may call it. The server also
 * checks permissions.
 */
export function missingRight(
  { roles, permissions }: Pick<Me, 'roles' | 'permissions'>,
  op: Op,
): string | undefined {
  const right = rights[op];
  if (right === undefined || right === 'staff' || roles.includes('SUPERADMIN')) return undefined;
  const alternatives = [right].flat();
  return alternatives.some((one) => permissions.includes(one)) ? undefined : alternatives[0];
}

/** Returns the permission that this account lacks for the operation, or undefined if it may call it. */
export function useMissing(op: Op | undefined): string | undefined {
  const me = use(Session);
  return op && me && missingRight(me, op);
}

/** Renders its children only if the account may call the operation. */
export function May({ op, children }: { op: Op; children: ReactNode }) {
  return useMissing(op) === undefined ? children : null;
}
