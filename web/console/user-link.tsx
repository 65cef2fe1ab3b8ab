import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Op } from '../../client/call.ts';
import { useMissing } from '../kit/session.tsx';

/** A link to a page whose operation is `op`. Staff who may not call it see only the text. */
export function MayLink({ op, to, children }: { op: Op; to: string; children: ReactNode }) {
  return useMissing(op) === undefined ? <Link href={to}>{children}</Link> : children;
}

/** Links to a user's page. Staff who may not open it see only the name. */
export function UserLink({ of }: { of: { id: number; username?: string | undefined } | null | undefined }) {
  if (!of) return <span className="dim">–</span>;
  return (
    <MayLink op="GET /admin/user/{id}" to={`/users/${of.id}`}>
      {of.username ?? `#${of.id}`}
    </MayLink>
  );
}
