import type { Answer } from '../../../../client/call.ts';
import { list, plural } from '../../../kit/intl.ts';
import type { Check } from '../../review/spec.ts';
import { SIGNALS } from '../user/signals.ts';

type Found = Answer<'GET /admin/users/{id}/connections'>;

/** Returns the check of the accounts that are connected to a player. It passes only if all signals of all accounts were read. */
export function connectionCheck(found: Found, id: number): Check {
  const { connections, total, totalIsExact, hidden } = found;
  const to = `/users/${id}/connections`;
  // Accounts that share only signals that this account may not see are not counted.
  const unseen = hidden.length > 0 && `Hidden from you: ${list(hidden.map((signal) => SIGNALS[signal]))}`;
  const isCut = !totalIsExact && 'Not all accounts were read';
  const limits = [unseen, isCut].filter((limit) => limit !== false);
  if (total === 0)
    return limits.length > 0
      ? { kind: 'plain', name: 'No connected accounts found', about: limits.join('. '), to }
      : { kind: 'good', name: 'No connected accounts', about: 'No shared device, address or identity', to };
  const same = connections.filter(({ isSamePerson }) => isSamePerson).length;
  const banned = connections.filter(({ isBanned }) => isBanned).length;
  const facts = [
    ...(same > 0
      ? [plural(same, { one: '# is likely the same person', other: '# are likely the same person' })]
      : []),
    ...(banned > 0 ? [plural(banned, { one: '# is banned', other: '# are banned' })] : []),
  ];
  const names = connections.map(({ user }) => user.username).join(', ');
  return {
    kind: facts.length > 0 ? 'warn' : 'plain',
    name: totalIsExact
      ? plural(total, { one: '# connected account', other: '# connected accounts' })
      : plural(total, { one: 'At least # connected account', other: 'At least # connected accounts' }),
    about: [facts.length > 0 ? list(facts) : names, ...limits].join('. '),
    to,
  };
}
