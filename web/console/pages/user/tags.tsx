import type { UserListRow } from '../../../../client/call.ts';
import { Form } from '../../../kit/form/form.tsx';
import type { Option } from '../../../kit/pick/pick.tsx';
import { send, useAct } from '../../../kit/query.ts';
import type { Bulk } from '../../list/spec.ts';
import { ManyField } from '../../many-field.tsx';
import { TAGS, useTags } from '../choices.ts';
import { STALE } from './shared.ts';

const CHANGE = 'POST /admin/user-tags';

/** Finds tags that are in use. Any other text is a new tag. */
function useTagOptions(text: string): readonly Option[] {
  const typed = text.toLowerCase();
  const known = useTags().filter((tag) => tag.includes(typed));
  const isNew = typed !== '' && !known.includes(typed);
  return [
    ...known.map((tag) => ({ value: tag, text: tag })),
    ...(isNew ? [{ value: typed, text: typed, note: <span className="dim">New</span> }] : []),
  ];
}

type TagsFieldProps = { value?: readonly string[]; required?: boolean };

const TagsField = ({ value = [], required = false }: TagsFieldProps) => (
  <ManyField
    name="tags"
    label="Tags"
    hint="Only staff see them"
    value={value}
    nameOf={(tag) => tag}
    useOptions={useTagOptions}
    placeholder="Find or add a tag"
    required={required}
    allowsNew
  />
);

export const tagUser: Bulk<UserListRow> = {
  label: 'Add tags',
  icon: 'tag',
  op: CHANGE,
  stale: [TAGS],
  Fields: () => <TagsField required />,
  run: ({ id }, filled) => send(CHANGE, { body: { userId: id, add: filled.list('tags') } }),
};

type TagsFormProps = { id: number; value: readonly string[]; onDone: () => void };

/** Adds and removes tags of a user. Tags that a colleague has changed in the meantime keep that change. */
export function TagsForm({ id, value, onDone }: TagsFormProps) {
  const change = useAct(CHANGE, { stale: [...STALE, TAGS], said: 'Tags saved', onDone });
  return (
    <Form
      act={change}
      input={(f) => {
        const tags = f.list('tags');
        return {
          body: {
            userId: id,
            add: tags.filter((tag) => !value.includes(tag)),
            remove: value.filter((tag) => !tags.includes(tag)),
          },
        };
      }}
      submit="Save tags"
    >
      <TagsField value={value} />
    </Form>
  );
}
