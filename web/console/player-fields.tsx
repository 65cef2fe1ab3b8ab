import { Field, type FieldProps, TextArea } from '../kit/form/field.tsx';
import { useMissing } from '../kit/session.tsx';
import { ManyField } from './many-field.tsx';
import { OneField } from './one-field.tsx';
import { PLAYER_PLACEHOLDER, USERS, usePlayers } from './player-pick.tsx';

/** One player, whose id the form reads. Staff who may not list players enter the id. */
export function PlayerField({ required = false, ...field }: FieldProps & { required?: boolean }) {
  return useMissing(USERS) === undefined ? (
    <OneField {...field} required={required} useOptions={usePlayers} placeholder={PLAYER_PLACEHOLDER} />
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
      placeholder={PLAYER_PLACEHOLDER}
    />
  ) : (
    <TextArea {...field} hint="User IDs, comma-separated or one per line" rows={2} />
  );
}
