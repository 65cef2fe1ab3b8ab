import { Link } from 'wouter';

/** Links to a user's page. */
export function UserLink({ of }: { of: { id: number; username?: string | undefined } | null | undefined }) {
  if (!of) return <span className="dim">–</span>;
  return <Link href={`/users/${of.id}`}>{of.username ?? `#${of.id}`}</Link>;
}
