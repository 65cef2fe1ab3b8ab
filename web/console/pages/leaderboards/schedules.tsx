import type { LeaderboardSchedule } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { exactMoney } from '../../../kit/intl.ts';
import { Card, Facts, Page, words, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Table } from '../../../kit/table.tsx';
import { listPage } from '../../list/list-page.tsx';
import { Waiting } from '../../waiting.tsx';
import { RUNS } from './leaderboards.tsx';
import { Pool, PrizeField, poolOf, prizesOf, Stake } from './prizes.tsx';

const LIST = 'GET /admin/leaderboards/schedule';
const ONE = 'GET /admin/leaderboards/schedule/{id}';

/** Schedules that start leaderboards automatically. */
export const Schedules = listPage({
  list: 'schedules',
  title: 'Schedules',
  about: 'Each schedule starts leaderboards automatically',
  op: LIST,
  isWhole: true,
  input: () => ({}),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/leaderboards/schedules/${id}`,
  columns: [
    {
      name: 'name',
      fields: ['config.name'],
      head: 'Schedule',
      of: ({ config }) => config.name,
      isMain: true,
    },
    { name: 'type', fields: ['config.type'], head: 'Repeats', of: ({ config }) => words(config.type) },
    { name: 'enabled', head: 'Enabled', of: ({ enabled }) => <YesNo of={enabled} />, isMain: true },
    {
      name: 'prizes',
      fields: ['config.prizes'],
      head: 'Prizes',
      of: ({ config }) => <Pool of={config.prizes} />,
      end: true,
    },
    {
      name: 'currency',
      fields: ['config.currencyId'],
      head: 'Paid in',
      of: ({ config }) => config.currencyId,
    },
    { name: 'updatedAt', head: 'Updated', of: ({ updatedAt }) => <When at={updatedAt} /> },
  ],
  empty: 'No schedules',
});

export function SchedulePage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  return (
    <Page title={one.data?.config.name ?? 'Schedule'} of={one}>
      {(schedule) => (
        <div className="stack">
          <Waiting of={['leaderboard.schedule']} about={{ id }} />
          <Card title="Terms of its runs">
            <Facts
              of={{
                Enabled: <YesNo of={schedule.enabled} />,
                Repeats: words(schedule.config.type),
                'Prize pool': <Pool of={schedule.config.prizes} />,
                'Paid in': schedule.config.currencyId,
                'Min bet': <Usd of={schedule.config.minBetUsd} />,
                Updated: <When at={schedule.updatedAt} />,
              }}
            />
          </Card>
          <Change of={schedule} />
          <Card title="Latest runs">
            <Table
              rows={schedule.leaderboards}
              columns={RUNS}
              caption="Latest runs"
              keyOf={({ id: run }) => run}
              to={({ id: run }) => `/leaderboards/${run}`}
              empty="No runs yet"
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
    said: 'Schedule saved',
  });
  return (
    <May op={change.op}>
      <Card title="Edit schedule">
        <p className="dim">
          Existing runs keep their terms. When you enable the schedule, a run starts immediately and lasts
          until the end of the period.
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
          confirm="Change the terms of the next runs?"
          tells={({ body }) => (
            <Stake
              prizes={body.prizes ?? []}
              currencyId={config.currencyId}
              of={{
                Repeats: words(config.type),
                'Prize pool so far': exactMoney(poolOf(config.prizes), 'USD'),
                Starts: body.enabled
                  ? enabled
                    ? 'With the next period'
                    : 'Immediately'
                  : 'Not while it is disabled',
              }}
            />
          )}
        >
          <Check name="enabled" label="Enabled: runs start automatically" defaultChecked={enabled} />
          <Field name="name" label="Name" defaultValue={config.name} required maxLength={100} />
          <TextArea
            name="description"
            label="Description (shown to players)"
            defaultValue={config.description}
            maxLength={1000}
          />
          <PrizeField of={config.prizes} />
        </Form>
      </Card>
    </May>
  );
}
