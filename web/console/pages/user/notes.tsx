import { Link } from 'wouter';
import type { UserNote } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Card, Empty, Loaded, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { UserLink } from '../../user-link.tsx';

const LIST = 'GET /admin/user-notes';
const ONE = 'GET /admin/user-notes/{id}';
const RISKS = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const;
type Risk = (typeof RISKS)[number];

/** Staff notes about a user. */
export function UserNotes({ id }: { id: number }) {
  const notes = useRead(LIST, { query: { userId: id, take: 20 } });
  const add = useAct('POST /admin/user-notes', { stale: [LIST], said: 'Note added' });
  return (
    <div className="stack">
      <Card title="New note">
        <Form
          act={add}
          input={(f) => ({
            body: { userId: id, note: f.text('note'), riskLevel: f.text('riskLevel') as Risk },
          })}
          submit="Add note"
          isEmptied
        >
          <TextArea name="note" label="Note" required />
          <Select name="riskLevel" label="Risk" of={RISKS} />
        </Form>
      </Card>
      <Loaded of={notes}>
        {({ data }) =>
          data.length > 0 ? (
            data.map((note) => <Note key={note.id} of={note} />)
          ) : (
            <Empty title="No notes yet" />
          )
        }
      </Loaded>
    </div>
  );
}

/** A single note with its own URL, so that staff can link to it. */
export function NotePage({ params }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id: Number(params.id) } });
  return (
    <Page title="Note" of={one}>
      {(note) => (
        <>
          <p>
            About <UserLink of={note.user} />
          </p>
          <Note of={note} />
        </>
      )}
    </Page>
  );
}

function Note({ of: { id, note, riskLevel, createdAt, createdBy } }: { of: UserNote }) {
  const change = useAct('PATCH /admin/user-notes', { stale: [LIST, ONE], said: 'Note saved' });
  const remove = useAct('DELETE /admin/user-notes/{id}', { stale: [LIST], said: 'Note deleted' });
  return (
    <Card
      title={`Risk: ${words(riskLevel)}`}
      actions={
        <ActButton act={remove} input={{ path: { id } }} kind="ghost" confirm="Delete this note?">
          Delete
        </ActButton>
      }
    >
      <p className="dim">
        <UserLink of={createdBy} />,{' '}
        <Link href={`/notes/${id}`}>
          <When at={createdAt} />
        </Link>
      </p>
      <Form
        act={change}
        input={(f) => ({ body: { id, note: f.text('note'), riskLevel: f.text('riskLevel') as Risk } })}
      >
        <TextArea name="note" label="Note" defaultValue={note} required />
        <Select name="riskLevel" label="Risk" of={RISKS} defaultValue={riskLevel} />
      </Form>
    </Card>
  );
}
