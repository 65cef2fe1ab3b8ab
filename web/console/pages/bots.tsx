import type { BotActivity } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../kit/filters.ts';
import { Check, Checks, type Choice } from '../../kit/form/choice.tsx';
import { Select } from '../../kit/form/select.tsx';
import { Field, TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { List } from '../../kit/list.tsx';
import { Card, Facts, Page, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
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
  { value: 'CALM', label: 'Calm: an hour, a bet a minute, up to 2 USD' },
  { value: 'NORMAL', label: 'Normal: two hours, a bet in 20 seconds, up to 10 USD' },
  { value: 'AGGRESSIVE', label: 'Aggressive: four hours, a bet in 8 seconds, up to 50 USD' },
];

const FILTERS: readonly FilterField[] = [
  { name: 'username', label: 'Username' },
  { name: 'isActive', label: 'State', of: [{ value: 'false', label: 'switched off' }], none: 'switched on' },
  { name: 'type', label: 'Games', of: TYPES },
  { name: 'behavior', label: 'Pace', of: BEHAVIORS },
  { name: 'playDays', label: 'Begins on', of: DAYS },
  {
    name: 'sortBy',
    label: 'By',
    of: ['lastRunAt', 'startTime', 'userId', 'updatedAt'],
    none: 'when it was made',
  },
  ORDER,
];

const COLUMNS: Columns<BotActivity> = [
  { head: 'Bot', of: ({ user }) => user.username },
  { head: 'Games', of: ({ type, games }) => `${words(type)}: ${games.join(', ')}` },
  { head: 'Pace', of: ({ behavior }) => words(behavior) },
  { head: 'Begins on', of: ({ playDays }) => playDays.map(words).join(', ') },
  { head: 'At (UTC)', of: ({ startTime }) => startTime },
  { head: 'Last time', of: ({ lastRunAt }) => <When at={lastRunAt} /> },
];

/** Simulated rows of the live feed, which are marked as simulated. No player has made these bets. */
export function Bots() {
  const filters = useFilters({});
  const { text, page } = filters;
  const day = text<Day>('playDays');
  const query = {
    isActive: text('isActive') !== 'false',
    username: text('username'),
    type: text<Type>('type'),
    behavior: text<Behavior>('behavior'),
    playDays: day && [day],
    sortBy: text<'lastRunAt' | 'startTime' | 'userId' | 'updatedAt'>('sortBy'),
    sortOrder: text<'asc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  const config = useRead('GET /config/{code}', { path: { code: 'USER' } });
  return (
    <Page
      title="Bots"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="bots" />}
    >
      {config.data && (
        <p className="dim">
          {config.data.isActivitySimulated
            ? '✓ The live feed shows scenery, and says of each row that it is.'
            : '✕ Scenery is switched off where the platform is set up: nothing of it is shown.'}
        </p>
      )}
      <List
        of={list}
        columns={COLUMNS}
        caption="Bots"
        keyOf={({ id }) => id}
        to={({ id }) => `/bots/${id}`}
        onPage={filters.toPage}
        empty="No bot is like this."
      />
      <div className="cards">
        <Toggle />
        <Add />
      </div>
    </Page>
  );
}

/** Turns an account into a bot. Only accounts without any activity can become bots. */
function Toggle() {
  const toggle = useAct('PATCH /admin/bot-activity/bot-toggle', { stale: STALE, said: 'Done' });
  return (
    <May op={toggle.op}>
      <Card title="Which accounts are bots">
        <p className="dim">
          An account that somebody has used cannot become one: open one under Staff, and give it no rights.
        </p>
        <Form
          act={toggle}
          input={(f) => ({ body: { userId: f.number('userId'), isBot: f.text('isBot') === 'true' } })}
          submit="Set it"
          confirm="Set what this account is?"
          tells={({ body }) => (
            <p>
              Account {body.userId}: {body.isBot ? 'a bot from now on' : 'a player again'}
            </p>
          )}
          isEmptied
        >
          <Field name="userId" label="User id" type="number" min={1} required />
          <Select
            name="isBot"
            label="What it is"
            of={[
              { value: 'true', label: 'a bot' },
              { value: 'false', label: 'a player' },
            ]}
          />
        </Form>
      </Card>
    </May>
  );
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
      <Select name="type" label="Games" of={TYPES} defaultValue={of?.type} />
      <TextArea
        name="games"
        label="Slugs of the games, one a line, 50 at most"
        defaultValue={of?.games.join('\n')}
        required
      />
      <Select name="behavior" label="Pace" of={PACES} defaultValue={of?.behavior} />
      <Checks name="playDays" label="Days on which it begins (UTC)" of={DAYS} chosen={of?.playDays ?? DAYS} />
      <Field
        name="startTime"
        label="Time at which it begins (UTC)"
        type="time"
        defaultValue={of?.startTime}
        required
      />
      <Check name="isActive" label="Switched on" defaultChecked={of?.isActive ?? true} />
    </>
  );
}

function Add() {
  const add = useAct('POST /admin/bot-activity/manage', { stale: STALE, said: 'It plays like this now' });
  return (
    <May op={add.op}>
      <Card title="How a bot seems to play">
        <Form
          act={add}
          input={(f) => ({ body: { userId: f.number('userId'), ...filled(f) } })}
          submit="Say so"
          isEmptied
        >
          <Field name="userId" label="User id of the bot" type="number" min={1} required />
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
          <Card title="About it">
            <Facts
              of={{
                Account: <UserLink of={bot.user} />,
                'Last time': <When at={bot.lastRunAt} />,
                Made: <When at={bot.createdAt} />,
                Changed: <When at={bot.updatedAt} />,
              }}
            />
          </Card>
          <May op={change.op}>
            <Card title="How it seems to play">
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
