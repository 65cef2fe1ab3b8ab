import type { LeaderboardSchedule } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded, Page, words, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Waiting } from '../../waiting.tsx';
import { LeaderboardTabs, RUNS } from './leaderboards.tsx';
import { Pool, PrizeField, prizesOf } from './prizes.tsx';

const LIST = 'GET /admin/leaderboards/schedule';
const ONE = 'GET /admin/leaderboards/schedule/{id}';

const COLUMNS: Columns<LeaderboardSchedule> = [
  { head: 'Schedule', of: ({ config }) => config.name },
  { head: 'Every', of: ({ config }) => words(config.type) },
  { head: 'On', of: ({ enabled }) => <YesNo of={enabled} /> },
  { head: 'Prizes', of: ({ config }) => <Pool of={config.prizes} />, end: true },
  { head: 'In', of: ({ config }) => config.currencyId },
  { head: 'Changed', of: ({ updatedAt }) => <When at={updatedAt} /> },
];

/** Schedules that start leaderboards automatically. */
export function Schedules() {
  const list = useRead(LIST, {});
  return (
    <Page title="Schedules of leaderboards" filters={<LeaderboardTabs />}>
      <Loaded of={list}>
        {(all) => (
          <Table
            rows={all}
            columns={COLUMNS}
            caption="Schedules"
            keyOf={({ id }) => id}
            to={({ id }) => `/leaderboards/schedules/${id}`}
          />
        )}
      </Loaded>
    </Page>
  );
}

export function SchedulePage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  return (
    <Page title={one.data?.config.name ?? 'Schedule'} of={one}>
      {(schedule) => (
        <div className="stack">
          <Waiting of={['leaderboard.schedule']} about={{ id }} />
          <Card title="What its runs are like">
            <Facts
              of={{
                On: <YesNo of={schedule.enabled} />,
                Every: words(schedule.config.type),
                'Prizes in all': <Pool of={schedule.config.prizes} />,
                'Paid in': schedule.config.currencyId,
                'Stakes count from': <Usd of={schedule.config.minBetUsd} />,
                Changed: <When at={schedule.updatedAt} />,
              }}
            />
          </Card>
          <Change of={schedule} />
          <Card title="The latest runs">
            <Table
              rows={schedule.leaderboards}
              columns={RUNS}
              caption="The latest runs"
              keyOf={({ id: run }) => run}
              to={({ id: run }) => `/leaderboards/${run}`}
              empty="None yet."
            />
          </Card>
        </div>
      )}
    </Page>
  );
}

function Change({ of: { id, enabled, config } }: { of: LeaderboardSchedule }) {
  const change = useAct('POST /admin/leaderboards/schedule/{id}', {
    stale: [LIST, ONE, 'GET /admin/leaderboards'],
    said: 'Changed',
  });
  return (
    <May op={change.op}>
      <Card title="Change">
        <p className="dim">
          Runs that there are keep their settings. Switched on, it has a run from now to the end of the
          period.
        </p>
        <Form
          act={change}
          input={(f) => ({
            path: { id },
            body: {
              enabled: f.flag('enabled'),
              name: f.text('name'),
              description: f.text('description'),
              prizes: prizesOf(f),
            },
          })}
          confirm="Change what the next runs are like?"
        >
          <Check name="enabled" label="On: runs begin by themselves" defaultChecked={enabled} />
          <Field name="name" label="Name" defaultValue={config.name} required maxLength={100} />
          <TextArea
            name="description"
            label="Description, for players"
            defaultValue={config.description}
            maxLength={1000}
          />
          <PrizeField of={config.prizes} />
        </Form>
      </Card>
    </May>
  );
}
