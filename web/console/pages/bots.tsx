import type { BotActivity } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Check, Checks, type Choice } from '../../kit/form/choice.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { Select } from '../../kit/form/select.tsx';
import { Note } from '../../kit/note.tsx';
import { Card, Facts, Page, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { GamesField } from '../game-fields.tsx';
import { listPage } from '../list/list-page.tsx';
import { choice } from '../list/spec.ts';
import { usePlayerName } from '../player-name.ts';
import { UserLink } from '../user-link.tsx';

const LIST = 'GET /admin/bot-activity/all';
const ONE = 'GET /admin/bot-activity/one/{id}';
const STALE = [LIST, ONE] as const;

const TYPES = ['HOUSE_GAME', 'SLOTS', 'MIXED'] as const;
type Type = (typeof TYPES)[number];
const BEHAVIORS = ['CALM', 'NORMAL', 'AGGRESSIVE'] as const;
type Behavior = (typeof BEHAVIORS)[number];
const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;
type Day = (typeof DAYS)[number];

const PACES: readonly Choice[] = [
  { value: 'CALM', label: 'Calm: one hour, a bet every minute, up to 2 USD' },
  { value: 'NORMAL', label: 'Normal: two hours, a bet every 20 seconds, up to 10 USD' },
  { value: 'AGGRESSIVE', label: 'Aggressive: four hours, a bet every 8 seconds, up to 50 USD' },
];

/** Says whether players see the bots' bets. */
function Switched() {
  const config = useRead('GET /config/{code}', { path: { code: 'USER' } });
  if (!config.data) return null;
  return config.data.isActivitySimulated ? (
    <Note kind="good">The live feed shows bets of bots, marked as simulated.</Note>
  ) : (
    <Note>Simulated activity is off, so players see no bets of bots.</Note>
  );
}

const Below = () => (
  <div className="cards">
    <Toggle />
    <Add />
  </div>
);

/** Simulated rows of the live feed, which are marked as simulated. No player has made these bets. */
export const Bots = listPage({
  list: 'bots',
  title: 'Bots',
  op: LIST,
  file: 'bots',
  Above: Switched,
  Below,
  input: ({ text }) => {
    const day = text<Day>('playDays');
    return {
      query: {
        isActive: text('isActive') !== 'false',
        username: text('username'),
        type: text<Type>('type'),
        behavior: text<Behavior>('behavior'),
        playDays: day && [day],
        sortBy: text<'createdAt' | 'lastRunAt' | 'startTime' | 'userId' | 'updatedAt'>('sortBy'),
        sortOrder: text<'asc' | 'desc'>('sortOrder'),
      },
    };
  },
  keyOf: ({ id }) => id,
  to: ({ id }) => `/bots/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'username', label: 'Username' },
  filters: [
    choice('type', 'Games', TYPES),
    choice('behavior', 'Pace', BEHAVIORS),
    choice('playDays', 'Starts on', DAYS),
  ],
  views: [
    { name: 'Enabled', query: {} },
    { name: 'Disabled', query: { isActive: 'false' } },
  ],
  columns: [
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Bot',
      of: ({ user }) => user.username,
      isMain: true,
    },
    {
      name: 'games',
      head: 'Games',
      of: ({ type, games }) => `${words(type)}: ${games.join(', ')}`,
      wide: true,
    },
    { name: 'behavior', head: 'Pace', of: ({ behavior }) => words(behavior) },
    { name: 'playDays', head: 'Starts on', of: ({ playDays }) => playDays.map(words).join(', '), wide: true },
    { name: 'startTime', head: 'Start time (UTC)', of: ({ startTime }) => startTime, sort: 'startTime' },
    {
      name: 'lastRunAt',
      head: 'Last run',
      of: ({ lastRunAt }) => <When at={lastRunAt} />,
      sort: 'lastRunAt',
      isMain: true,
    },
    {
      name: 'createdAt',
      head: 'Created',
      of: ({ createdAt }) => <When at={createdAt} />,
      sort: 'createdAt',
      isExtra: true,
    },
  ],
  empty: 'No bots yet',
});

/** Turns an account into a bot. Only accounts without any activity can become bots. */
function Toggle() {
  const toggle = useAct('PATCH /admin/bot-activity/bot-toggle', { stale: STALE, said: 'Saved' });
  return (
    <May op={toggle.op}>
      <Card title="Turn an account into a bot">
        <p className="dim">
          Only unused accounts can become bots. Create one under Staff, without permissions.
        </p>
        <Form
          act={toggle}
          input={(f) => ({ body: { userId: f.number('userId'), isBot: f.text('isBot') === 'true' } })}
          submit="Save"
          confirm="Change this account?"
          tells={({ body }) => <ToggleFacts of={body} />}
          isEmptied
        >
          <Field name="userId" label="User ID" type="number" min={1} required />
          <Select
            name="isBot"
            label="Account type"
            of={[
              { value: 'true', label: 'Bot' },
              { value: 'false', label: 'Player' },
            ]}
          />
        </Form>
      </Card>
    </May>
  );
}

/** The name tells staff who typed an id whose account it is. */
function ToggleFacts({ of: { userId, isBot } }: { of: { userId: number; isBot: boolean } }) {
  return <Facts isRows of={{ Account: usePlayerName(userId), 'Account type': isBot ? 'Bot' : 'Player' }} />;
}

const filled = (f: Filled) => ({
  type: f.text('type') as Type,
  behavior: f.text('behavior') as Behavior,
  playDays: f.all('playDays') as Day[],
  isActive: f.flag('isActive'),
  games: f.list('games'),
  startTime: f.text('startTime'),
});

function Fields({ of }: { of?: BotActivity }) {
  return (
    <>
      <Select name="type" label="Type" of={TYPES} defaultValue={of?.type} />
      <GamesField name="games" label="Games" hint="At most 50" value={of?.games} required />
      <Select name="behavior" label="Pace" of={PACES} defaultValue={of?.behavior} />
      <Checks name="playDays" label="Days on which it starts (UTC)" of={DAYS} chosen={of?.playDays ?? DAYS} />
      <Field name="startTime" label="Start time (UTC)" type="time" defaultValue={of?.startTime} required />
      <Check name="isActive" label="Enabled" defaultChecked={of?.isActive ?? true} />
    </>
  );
}

function Add() {
  const add = useAct('POST /admin/bot-activity/manage', { stale: STALE, said: 'Saved' });
  return (
    <May op={add.op}>
      <Card title="Schedule a bot">
        <Form
          act={add}
          input={(f) => ({ body: { userId: f.number('userId'), ...filled(f) } })}
          submit="Save"
          isEmptied
        >
          <Field name="userId" label="Bot (user ID)" type="number" min={1} required />
          <Fields />
        </Form>
      </Card>
    </May>
  );
}

export function BotPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  const change = useAct('PATCH /admin/bot-activity/manage', { stale: STALE, said: 'Changed' });
  return (
    <Page title={one.data?.user.username ?? 'Bot'} of={one}>
      {(bot) => (
        <div className="stack">
          <Card title="Details">
            <Facts
              of={{
                Account: <UserLink of={bot.user} />,
                'Last run': <When at={bot.lastRunAt} />,
                Created: <When at={bot.createdAt} />,
                Changed: <When at={bot.updatedAt} />,
              }}
            />
          </Card>
          <May op={change.op}>
            <Card title="Schedule">
              <Form act={change} input={(f) => ({ body: { userId: bot.userId, ...filled(f) } })}>
                <Fields of={bot} />
              </Form>
            </Card>
          </May>
        </div>
      )}
    </Page>
  );
}
