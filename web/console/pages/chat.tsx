import type { StaffChatMessage } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { type FilterField, Filters, useFilters } from '../../kit/filters.ts';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Card, Loaded, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/chat/messages';
const ACT = 'POST /admin/chat/admin-action';
const TAKE = 50;
/** Polling interval for an open chat room. */
const EVERY_MS = 5000;

const FILTERS: readonly FilterField[] = [
  { name: 'roomId', label: 'Room' },
  { name: 'userId', label: 'User id', type: 'number' },
];

const COLUMNS: Columns<StaffChatMessage> = [
  { head: 'Written', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Room', of: ({ roomId }) => roomId },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Says', of: (message) => <Said of={message} /> },
  { head: '', of: (message) => <Delete of={message} /> },
];

/** Chat messages and their moderation. */
export function Chat() {
  const filters = useFilters({});
  const { text, number, change } = filters;
  const before = text('before');
  const query = { roomId: text('roomId'), userId: number('userId'), before, take: TAKE };
  const messages = useRead(LIST, { query }, before ? {} : { everyMs: EVERY_MS });
  return (
    <Page title="Chat" filters={<Filters of={FILTERS} in={filters} />}>
      <div className="stack">
        <Loaded of={messages}>
          {(all) => (
            <>
              <Table
                rows={all}
                columns={COLUMNS}
                caption="Messages"
                keyOf={({ id }) => id}
                empty="Nobody has written anything in the last 30 days."
              />
              <nav className="pager" aria-label="Pages">
                <button
                  className="button"
                  type="button"
                  disabled={!before}
                  onClick={() => change({ before: '' })}
                >
                  Newest
                </button>
                <button
                  className="button"
                  type="button"
                  disabled={all.length < TAKE}
                  onClick={() => change({ before: all.at(-1)!.id })}
                >
                  Older
                </button>
              </nav>
            </>
          )}
        </Loaded>
        <May op={ACT}>
          <div className="cards">
            <Mute />
            <Rooms />
          </div>
        </May>
      </div>
    </Page>
  );
}

function Said({ of: { text, isShown, deletedAt, deletedBy } }: { of: StaffChatMessage }) {
  if (isShown) return <span className="said">{text}</span>;
  return (
    <span className="said">
      <del>{text}</del>{' '}
      <small className="dim">
        {deletedAt ? (
          <>
            ✕ deleted <When at={deletedAt} /> {deletedBy && <UserLink of={deletedBy} />}
          </>
        ) : (
          '✕ cleared away with its room'
        )}
      </small>
    </span>
  );
}

function Delete({ of: { id, isShown, user } }: { of: StaffChatMessage }) {
  const remove = useAct(ACT, { stale: [LIST], said: 'Nobody sees it any more' });
  const mute = useAct(ACT, { said: `${user.username} is silent for an hour` });
  return (
    <span className="actions">
      {isShown && (
        <ActButton
          act={remove}
          input={{ body: { action: 'DELETE_MESSAGE', args: { messageId: id } } }}
          kind="danger"
          confirm="Delete this message for everybody?"
        >
          Delete
        </ActButton>
      )}
      <ActButton
        act={mute}
        input={{ body: { action: 'MUTE_USER', args: { userId: user.id, seconds: 3600 } } }}
        kind="ghost"
        confirm={`Mute ${user.username} for an hour?`}
      >
        Mute for 1 h
      </ActButton>
    </span>
  );
}

function Mute() {
  const mute = useAct(ACT, { said: 'They are silent' });
  const unmute = useAct(ACT, { said: 'They may write again' });
  return (
    <Card title="Mute a player">
      <div className="stack">
        <Form
          act={mute}
          input={(f) => ({
            body: { action: 'MUTE_USER', args: { userId: f.number('userId'), untilAt: f.moment('untilAt') } },
          })}
          submit="Mute"
          kind="danger"
          confirm="Mute them?"
          isEmptied
        >
          <Field name="userId" label="User id" type="number" min={1} required />
          <Field name="untilAt" label="Until" type="datetime-local" required />
        </Form>
        <Form
          act={unmute}
          input={(f) => ({ body: { action: 'UNMUTE_USER', args: { userId: f.number('userId') } } })}
          submit="Let them write again"
          isEmptied
        >
          <Field name="userId" label="User id of somebody who is mute" type="number" min={1} required />
        </Form>
      </div>
    </Card>
  );
}

function Rooms() {
  const config = useRead('GET /config/{code}', { path: { code: 'USER' } });
  const chat = config.data?.chat as { rooms: { id: string; name: string }[] } | undefined;
  return (
    <>
      {chat?.rooms.map(({ id, name }) => (
        <Room key={id} id={id} name={name} />
      ))}
    </>
  );
}

function Room({ id: roomId, name }: { id: string; name: string }) {
  const slow = useAct(ACT, { said: `${name} is as slow as that now` });
  const clear = useAct(ACT, { stale: [LIST], said: `${name} is empty` });
  return (
    <Card
      title={`Room: ${name}`}
      actions={
        <ActButton
          act={clear}
          input={{ body: { action: 'CLEAR_ROOM', args: { roomId } } }}
          kind="danger"
          confirm={`Clear away everything in ${name}?`}
        >
          Clear
        </ActButton>
      }
    >
      <Form
        act={slow}
        input={(f) => ({ body: { action: 'SET_SLOW_MODE', args: { roomId, seconds: f.number('seconds') } } })}
        submit="Slow it down"
      >
        <Field
          name="seconds"
          label="Seconds between two messages of a player; 0: none"
          type="number"
          min={0}
          max={3600}
          required
        />
      </Form>
    </Card>
  );
}
