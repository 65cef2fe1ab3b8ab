import type { ProviderFinding } from '../../../../client/call.ts';
import { Facts, Json, words } from '../../../kit/page.tsx';

export const LIST = 'GET /admin/casino/findings';

/** The figures of an alert by name. They depend on its kind. */
export const FactsOf = ({ of }: { of: ProviderFinding['facts'] }) => (
  <Facts
    of={Object.fromEntries(
      Object.entries(of).map(([name, value]) => [
        words(name),
        typeof value === 'object' && value !== null ? <Json key={name} of={value} /> : String(value ?? '–'),
      ]),
    )}
  />
);
