import { useState } from 'react';
import { Field } from '../kit/form/field.tsx';
import { Combobox } from '../kit/pick/combobox.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';
import { useLater } from '../kit/use-later.ts';

/** Staff who may not list players enter their ids. */
export const USERS = 'POST /admin/user/all';
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
export function usePlayers(text: string): readonly Option[] {
  const search = useLater(text);
  const found = useRead(USERS, { body: { ...FOUND, search } }, { isEnabled: search !== '' });
  if (search === '' || search !== text || found.isPlaceholderData) return [];
  return (found.data?.data ?? []).map(({ id, username, email }) => ({
    value: String(id),
    text: username,
    note: <span className="dim">{email || `#${id}`}</span>,
  }));
}

export const PLAYER_PLACEHOLDER = 'Name, email or ID';

type PlayerPickProps = { label: string; onChoose: (id: number | undefined) => void };

/** Chooses a player outside a form. Staff who may not list players enter the id. */
export function PlayerPick(props: PlayerPickProps) {
  return useMissing(USERS) === undefined ? <Find {...props} /> : <Id {...props} />;
}

function Find({ label, onChoose }: PlayerPickProps) {
  const [text, setText] = useState('');
  return (
    <Combobox
      label={label}
      value={text}
      onChange={setText}
      placeholder={PLAYER_PLACEHOLDER}
      options={usePlayers(text.trim())}
      onChoose={({ value }) => onChoose(Number(value))}
    />
  );
}

const Id = ({ label, onChoose }: PlayerPickProps) => (
  <Field
    name="player"
    label={`${label} (ID)`}
    type="number"
    min={1}
    onChange={({ target }) => onChoose(Number(target.value) || undefined)}
  />
);
