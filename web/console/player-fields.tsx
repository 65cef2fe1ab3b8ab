import { Field, type FieldProps, TextArea } from '../kit/form/field.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';
import { useLater } from '../kit/use-later.ts';
import { ManyField } from './many-field.tsx';
import { OneField } from './one-field.tsx';

const USERS = 'POST /admin/user/all';
const FOUND = {
  sortBy: 'username',
  sortOrder: 'asc',
  withPermissions: false,
  withRoles: false,
  withNotes: false,
  withBalance: false,
  withStatsUsd: false,
  page: 1,
  take: 8,
} as const;

/** Finds players by name, email address or id. */
function usePlayers(text: string): readonly Option[] {
  const search = useLater(text);
  const found = useRead(USERS, { body: { ...FOUND, search } }, { isEnabled: search !== '' });
  if (search === '' || search !== text || found.isPlaceholderData) return [];
  return (found.data?.data ?? []).map(({ id, username, email }) => ({
    value: String(id),
    text: username,
    note: <span className="dim">{email || `#${id}`}</span>,
  }));
}

const PLACEHOLDER = 'Name, email or ID';

/** One player, whose id the form reads. Staff who may not list players enter the id. */
export function PlayerField({ required = false, ...field }: FieldProps & { required?: boolean }) {
  return useMissing(USERS) === undefined ? (
    <OneField {...field} required={required} useOptions={usePlayers} placeholder={PLACEHOLDER} />
  ) : (
    <Field {...field} hint="User ID" type="number" min={1} required={required} />
  );
}

/** Several players. A form reads their ids with `list`. Staff who may not list players enter the ids. */
export function PlayersField(field: FieldProps) {
  return useMissing(USERS) === undefined ? (
    <ManyField
      {...field}
      value={[]}
      nameOf={(id) => `#${id}`}
      useOptions={usePlayers}
      placeholder={PLACEHOLDER}
    />
  ) : (
    <TextArea {...field} hint="User IDs, comma-separated or one per line" rows={2} />
  );
}
