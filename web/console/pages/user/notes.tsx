import { Link } from 'wouter';
import type { UserNote } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Empty, Loaded, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { FormButton } from '../../form-button.tsx';
import { UserLink } from '../../user-link.tsx';
import { NoteFields, noteIn } from './note-fields.tsx';
import { STALE } from './shared.ts';

const LIST = 'GET /admin/user-notes';
const ONE = 'GET /admin/user-notes/{id}';
const CHANGE = 'PATCH /admin/user-notes';

/** Staff notes about a user. New ones are written with the button above. */
export function UserNotes({ id }: { id: number }) {
  const notes = useRead(LIST, { query: { userId: id, take: 20 } });
  return (
    <div className="stack">
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

function Note({ of }: { of: UserNote }) {
  const { id, note, riskLevel, createdAt, createdBy } = of;
  const remove = useAct('DELETE /admin/user-notes/{id}', { stale: [...STALE, LIST], said: 'Note deleted' });
  return (
    <Card
      title={`Risk: ${words(riskLevel)}`}
      actions={
        <>
          <ActButton act={remove} input={{ path: { id } }} kind="ghost" confirm="Delete this note?">
            Delete
          </ActButton>
          <FormButton op={CHANGE} label="Edit" title="Edit note">
            {(close) => <ChangeForm of={of} onDone={close} />}
          </FormButton>
        </>
      }
    >
      <p className="dim">
        <UserLink of={createdBy} />,{' '}
        <Link href={`/notes/${id}`}>
          <When at={createdAt} />
        </Link>
      </p>
      <p className="written">{note}</p>
    </Card>
  );
}

function ChangeForm({ of, onDone }: { of: UserNote; onDone: () => void }) {
  const change = useAct(CHANGE, { stale: [...STALE, LIST, ONE], said: 'Note saved', onDone });
  return (
    <Form act={change} input={(f) => ({ body: { id: of.id, ...noteIn(f) } })}>
      <NoteFields of={of} />
    </Form>
  );
}
