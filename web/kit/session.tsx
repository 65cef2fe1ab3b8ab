import { type ComponentProps, createContext, type ReactNode, use } from 'react';
import { type Answer, type Op, RIGHTS } from '../../client/call.ts';
import { kit } from './words.ts';

type Me = Answer<'GET /user/me'>;
const Session = createContext<Me | undefined>(undefined);

/** Whoever is signed in. */
export const SignedIn = ({ me, children }: { me: Me; children: ReactNode }) => (
  <Session value={me}>{children}</Session>
);

export function useMe(): Me {
  const me = use(Session);
  if (!me) throw new Error('nobody is signed in');
  return me;
}

const rights: Readonly<Partial<Record<Op, string>>> = RIGHTS;

/** The right that an operation asks for and this account lacks; undefined: they may. The server decides all the same. */
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
  /** What it calls: without the right for it, it is disabled and says which one is missing. */
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

/** Shows what belongs to an operation only to those who may call it. */
export function May({ op, children }: { op: Op; children: ReactNode }) {
  return useMissing(op) === undefined ? children : null;
}
