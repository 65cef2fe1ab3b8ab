import { type ComponentProps, createContext, type ReactNode, use } from 'react';
import { type Answer, type Op, RIGHTS } from '../../client/call.ts';
import { kit } from './words.ts';

type Me = Answer<'GET /user/me'>;
const Session = createContext<Me | undefined>(undefined);

/** Provides the signed-in user to all child components. */
export const SignedIn = ({ me, children }: { me: Me; children: ReactNode }) => (
  <Session value={me}>{children}</Session>
);

export function useMe(): Me {
  const me = use(Session);
  if (!me) throw new Error('nobody is signed in');
  return me;
}

const rights: Readonly<Partial<Record<Op, string>>> = RIGHTS;

/**
 * Returns the permission that the operation requires and this account lacks, or undefined if the account may call it. The server also
 * checks permissions.
 */
export function missingRight(
  { roles, permissions }: Pick<Me, 'roles' | 'permissions'>,
  op: Op,
): string | undefined {
  const right = rights[op];
  if (right === undefined || roles.includes('SUPERADMIN') || permissions.includes(right)) return undefined;
  return right;
}

function useMissing(op: Op | undefined): string | undefined {
  const me = use(Session);
  return op && me && missingRight(me, op);
}

type ButtonProps = ComponentProps<'button'> & {
  /**
   * The operation that the button calls. If the account lacks the permission for it, the button is disabled and shows the name of the
   * permission.
   */
  op?: Op;
  isBusy?: boolean;
  kind?: 'main' | 'danger' | 'quiet';
};

export function Button({ op, isBusy = false, kind, children, disabled, ...more }: ButtonProps) {
  const missing = useMissing(op);
  return (
    <button
      type="button"
      {...more}
      className={kind}
      disabled={disabled || isBusy || missing !== undefined}
      aria-busy={isBusy}
      title={missing === undefined ? more.title : kit.needs(missing)}
    >
      {children}
    </button>
  );
}

/** Renders its children only if the account may call the operation. */
export function May({ op, children }: { op: Op; children: ReactNode }) {
  return useMissing(op) === undefined ? children : null;
}
