import { useState } from 'react';
import { Field } from '../kit/form/field.tsx';
import { Combobox } from '../kit/pick/combobox.tsx';
import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';

const USERS = 'POST /admin/user/all';
const TAKE = 8;

type PlayerPickProps = { label: string; onChoose: (id: number | undefined) => void };

/** Finds a player by name, email address or id. Staff who may not list players enter the id. */
export function PlayerPick(props: PlayerPickProps) {
  return useMissing(USERS) === undefined ? <Find {...props} /> : <Id {...props} />;
}

function Find({ label, onChoose }: PlayerPickProps) {
  const [text, setText] = useState('');
  const search = text.trim();
  const body = {
    search: search || undefined,
    sortBy: 'username' as const,
    sortOrder: 'asc' as const,
    withPermissions: false,
    withRoles: false,
    withNotes: false,
    withBalance: false,
    withStatsUsd: false,
    page: 1,
    take: TAKE,
  };
  const found = useRead(USERS, { body }, { isEnabled: search !== '' });
  const users = search === '' ? [] : (found.data?.data ?? []);
  return (
    <Combobox
      label={label}
      value={text}
      onChange={setText}
      placeholder="Name, email or ID"
      options={users.map(({ id, username, email }) => ({
        value: String(id),
        text: username,
        note: <span className="dim">{email || `#${id}`}</span>,
      }))}
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
