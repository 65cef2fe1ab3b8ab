import { useState } from 'react';
import type { Faq } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Field, TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { useAct } from '../../kit/query.ts';
import { listPage } from '../list/list-page.tsx';

const LIST = 'GET /faq';
const ADD = 'POST /admin/faq';
const CHANGE = 'PUT /admin/faq';

/** Opens the form of a new article. */
function NewArticle() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="main" icon="plus" op={ADD} onClick={() => setOpen(true)}>
        New article
      </Button>
      {isOpen && <Add onClose={() => setOpen(false)} />}
    </>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const add = useAct(ADD, { stale: [LIST], said: 'Article added', onDone: onClose });
  return (
    <Dialog title="New article" onClose={onClose} hasCancel>
      <Form
        act={add}
        input={(f) => ({ body: { title: f.text('title'), text: f.text('text') } })}
        submit="Add article"
      >
        <Field name="title" label="Question" required maxLength={200} />
        <TextArea name="text" label="Answer" rows={8} required />
      </Form>
    </Dialog>
  );
}

function Edit({ of }: { of: Faq }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" icon="pencil" op={CHANGE} onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <Change of={of} onClose={() => setOpen(false)} />}
    </>
  );
}

function Change({ of: { id, title, text, order }, onClose }: { of: Faq; onClose: () => void }) {
  const change = useAct(CHANGE, { stale: [LIST], said: 'Article saved', onDone: onClose });
  const remove = useAct('DELETE /admin/faq', { stale: [LIST], said: 'Article deleted', onDone: onClose });
  return (
    <Dialog
      title="Edit article"
      onClose={onClose}
      hasCancel
      foot={
        <ActButton act={remove} input={{ body: { id } }} kind="danger" confirm={`Delete “${title}”?`}>
          Delete article
        </ActButton>
      }
    >
      <Form
        act={change}
        input={(f) => ({
          body: { id, title: f.text('title'), text: f.text('text'), order: f.number('order') },
        })}
        submit="Save article"
      >
        <Field name="title" label="Question" defaultValue={title} required maxLength={200} />
        <TextArea name="text" label="Answer" rows={8} defaultValue={text} required />
        <Field name="order" label="Position" type="number" defaultValue={order} required />
      </Form>
    </Dialog>
  );
}

/** Questions and answers that players read, in display order. */
export const Questions = listPage({
  list: 'faq',
  title: 'Help articles',
  about: 'Questions and answers that players read',
  op: LIST,
  isWhole: true,
  Actions: NewArticle,
  input: () => ({}),
  keyOf: ({ id }) => id,
  columns: [
    { name: 'title', head: 'Question', of: ({ title }) => title, wide: true, isMain: true },
    { name: 'text', head: 'Answer', of: ({ text }) => <span className="clipped">{text}</span>, wide: true },
    { name: 'order', head: 'Position', of: ({ order }) => order, end: true },
    { name: 'updatedAt', head: 'Updated', of: ({ updatedAt }) => <When at={updatedAt} /> },
    { name: 'action', fields: [], head: 'Action', of: (article) => <Edit of={article} />, isMain: true },
  ],
  empty: 'No help articles yet',
});
