import type { UserNote } from '../../../../client/call.ts';
import { TextArea } from '../../../kit/form/field.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { Select } from '../../../kit/form/select.tsx';
import { LEVELS } from '../../risk.tsx';

/** The fields of a note about a user. */
export const NoteFields = ({ of }: { of?: Pick<UserNote, 'note' | 'riskLevel'> }) => (
  <>
    <TextArea name="note" label="Note" defaultValue={of?.note} required maxLength={5000} />
    <Select name="riskLevel" label="Risk" of={LEVELS} defaultValue={of?.riskLevel} />
  </>
);

export const noteIn = (f: Filled) => ({
  note: f.text('note'),
  riskLevel: f.text('riskLevel') as UserNote['riskLevel'],
});
