import type { ReactNode } from 'react';
import { Facts, Json, words } from '../../../kit/page.tsx';

export const LIST = 'GET /admin/casino/findings';

/** The figures of an alert by name. They depend on its kind, and may contain figures of the provider and ours. */
export const FactsOf = ({ of, isRows = false }: { of: object; isRows?: boolean }) => (
  <Facts
    isRows={isRows}
    of={Object.fromEntries(Object.entries(of).map(([name, value]) => [words(name), shownAs(value)]))}
  />
);

function shownAs(value: unknown): ReactNode {
  if (Array.isArray(value)) return <Json of={value} />;
  if (typeof value === 'object' && value !== null) return <FactsOf of={value} isRows />;
  return value === null || value === '' ? null : String(value);
}
