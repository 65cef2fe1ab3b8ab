import type { StaffChatMessage } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Button } from '../../kit/button.tsx';
import { Badge } from '../../kit/figures.tsx';
import { useFilters } from '../../kit/filters.ts';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Select } from '../../kit/form/select.tsx';
import { Card, Facts, Loaded, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { type Columns, Table } from '../../kit/table.tsx';
import { FilterBar } from '../filter-bar.tsx';
import { choice, type Filter, player } from '../list/spec.ts';
import { PlayerField } from '../player-fields.tsx';
import { usePlayerName } from '../player-name.ts';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/chat/messages';
const ACT = 'POST /admin/chat/admin-action';
const TAKE = 50;
/** Polling interval for an open chat room. */
const EVERY_MS = 5000;

const FILTERS: readonly Filter[] = [player(), choice('roomId', 'Room', useRooms)];

const COLUMNS: Columns<StaffChatMessage> = [
  { head: 'Time', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Room', of: ({ roomId }) => roomId },
  { head: 'Player', of: (message) => <Author of={message} />, isMain: true },
  { head: 'Message', of: (message) => <Said of={message} />, wide: true, isMain: true },
  { head: 'Actions', of: (message) => <Actions of={message} /> },
];

function useRooms(): readonly { value: string; label: string }[] {
  const config = useRead('GET /config/{code}', { path: { code: 'USER' } });
  const chat = config.data?.chat as { rooms: { id: string; name: string }[] } | undefined;
  return (chat?.rooms ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

/** Chat messages and their moderation. */
export function Chat() {
  const filters = useFilters({});
  const { text, number, change } = filters;
  const before = text('before');
  const query = { roomId: text('roomId'), userId: number('userId'), before, take: TAKE };
  const messages = useRead(LIST, { query }, before ? {} : { everyMs: EVERY_MS });
  return (
    <Page title="Chat" filters={<FilterBar of={FILTERS} in={filters} />}>
      <div className="stack">
        <May op={ACT}>
          <Write roomId={query.roomId} />
        </May>
        <Loaded of={messages}>
          {(all) => (
            <>
              <Table
                rows={all}
                columns={COLUMNS}
                caption="Messages"
                keyOf={({ id }) => id}
                empty="No messages in the last 30 days"
              />
              <nav className="pager" aria-label="Pages">
                <Button size="sm" disabled={!before} onClick={() => change({ before: '' })}>
                  Newest
                </Button>
                <Button
                  size="sm"
                  disabled={all.length < TAKE}
                  onClick={() => change({ before: all.at(-1)!.id })}
                >
                  Older
                </Button>
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

const Author = ({ of: { user, isStaff, mutedUntil } }: { of: StaffChatMessage }) => (
  <>
    <UserLink of={user} /> {isStaff && <Badge icon="shield-user">Staff</Badge>}
    {mutedUntil && (
      <Badge tone="warn">
        Muted until <When at={mutedUntil} />
      </Badge>
    )}
  </>
);

/** Writes in a room on behalf of the platform. `roomId`: the room whose messages are shown. */
function Write({ roomId }: { roomId: string | undefined }) {
  const rooms = useRooms();
  const send = useAct(ACT, { stale: [LIST], said: 'Message sent' });
  return (
    <Card title="Write in the chat">
      <Form
        act={send}
        input={(f) => ({
          body: { action: 'SEND_MESSAGE', args: { roomId: f.text('roomId'), text: f.text('text') } },
        })}
        submit="Send message"
        isEmptied
      >
        {rooms.length > 1 ? (
          <Select
            key={`${roomId} ${rooms.length}`}
            name="roomId"
            label="Room"
            of={rooms}
            defaultValue={roomId}
            required
          />
        ) : (
          <input type="hidden" name="roomId" value={rooms[0]?.value ?? ''} />
        )}
        <Field
          name="text"
          label="Message"
          hint="Players see your username and the mark “Staff”"
          maxLength={200}
          autoComplete="off"
          required
        />
      </Form>
    </Card>
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
          '✕ cleared with its room'
        )}
      </small>
    </span>
  );
}

function Actions({ of: { id, isShown, user, mutedUntil } }: { of: StaffChatMessage }) {
  const remove = useAct(ACT, { stale: [LIST], said: 'Message deleted' });
  const mute = useAct(ACT, { stale: [LIST], said: `${user.username} muted for an hour` });
  const unmute = useAct(ACT, { stale: [LIST], said: `${user.username} is no longer muted` });
  return (
    <span className="actions">
      {isShown && (
        <ActButton
          act={remove}
          input={{ body: { action: 'DELETE_MESSAGE', args: { messageId: id } } }}
          kind="danger"
          confirm="Delete this message for all players?"
        >
          Delete
        </ActButton>
      )}
      {mutedUntil ? (
        <ActButton
          act={unmute}
          input={{ body: { action: 'UNMUTE_USER', args: { userId: user.id } } }}
          kind="ghost"
          confirm={`End the mute of ${user.username}?`}
        >
          End mute
        </ActButton>
      ) : (
        <ActButton
          act={mute}
          input={{ body: { action: 'MUTE_USER', args: { userId: user.id, seconds: 3600 } } }}
          kind="ghost"
          confirm={`Mute ${user.username} for an hour?`}
        >
          Mute 1 h
        </ActButton>
      )}
    </span>
  );
}

function Mute() {
  const mute = useAct(ACT, { stale: [LIST], said: 'Player muted' });
  const unmute = useAct(ACT, { stale: [LIST], said: 'Mute ended' });
  return (
    <Card title="Mute a player">
      <div className="stack">
        <Form
          act={mute}
          input={(f) => ({
            body: { action: 'MUTE_USER', args: { userId: f.number('userId'), untilAt: f.moment('untilAt') } },
          })}
          submit="Mute player"
          kind="danger"
          confirm="Mute this player?"
          tells={({ body }) => <MuteFacts of={body.args as { userId: number; untilAt?: string }} />}
          isEmptied
        >
          <PlayerField name="userId" label="Player to mute" required />
          <Field name="untilAt" label="Until" type="datetime-local" required />
        </Form>
        <Form
          act={unmute}
          input={(f) => ({ body: { action: 'UNMUTE_USER', args: { userId: f.number('userId') } } })}
          submit="End mute"
          isEmptied
        >
          <PlayerField name="userId" label="Muted player" required />
        </Form>
      </div>
    </Card>
  );
}

/** The name of the muted player, and when the mute ends. */
function MuteFacts({ of: { userId, untilAt } }: { of: { userId: number; untilAt?: string } }) {
  return <Facts isRows of={{ Player: usePlayerName(userId), Until: <When at={untilAt} /> }} />;
}

function Rooms() {
  return (
    <>
      {useRooms().map(({ value, label }) => (
        <Room key={value} id={value} name={label} />
      ))}
    </>
  );
}

function Room({ id: roomId, name }: { id: string; name: string }) {
  const slow = useAct(ACT, { said: `Slow mode of ${name} saved` });
  const clear = useAct(ACT, { stale: [LIST], said: `${name} cleared` });
  return (
    <Card
      title={`Room: ${name}`}
      actions={
        <ActButton
          act={clear}
          input={{ body: { action: 'CLEAR_ROOM', args: { roomId } } }}
          kind="danger"
          confirm={`Delete all messages in ${name}?`}
        >
          Clear
        </ActButton>
      }
    >
      <Form
        act={slow}
        input={(f) => ({ body: { action: 'SET_SLOW_MODE', args: { roomId, seconds: f.number('seconds') } } })}
        submit="Save slow mode"
      >
        <Field
          name="seconds"
          label="Seconds between a player’s messages"
          hint="0 turns slow mode off"
          type="number"
          min={0}
          max={3600}
          required
        />
      </Form>
    </Card>
  );
}
