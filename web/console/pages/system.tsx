import type { HealthResult, LoggerLevel } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Select } from '../../kit/form/select.tsx';
import { Card, Facts, Json, Loaded, Page, Status, words } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { Table } from '../../kit/table.tsx';
import { Changes } from '../changes.tsx';
import { changedIn } from '../differences.ts';

const LOGGER = 'GET /admin/logger';
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];
type Levels = LoggerLevel['level'];
const EVERY_MS = 10_000;

/** The health of the platform and its log levels. */
export function System() {
  return (
    <Page title="System">
      <div className="stack">
        <div className="cards">
          <Health />
          <Statistics />
        </div>
        <Rates />
        <Logs />
      </div>
    </Page>
  );
}

function Health() {
  const ready = useRead('GET /health/ready', {}, { everyMs: EVERY_MS });
  return (
    <Card title="Health">
      {ready.error?.status === 503 ? (
        <Parts of={{ status: 'error', details: ready.error.details }} />
      ) : (
        <Loaded of={ready}>{(health) => <Parts of={health} />}</Loaded>
      )}
    </Card>
  );
}

function Parts({ of: { status, details } }: { of: HealthResult }) {
  const parts = Object.entries((details ?? {}) as Record<string, { status?: string }>);
  return (
    <>
      <p>
        <Status of={status.toUpperCase()} />
      </p>
      <Facts
        of={Object.fromEntries(
          parts.map(([name, part]) => [
            words(name),
            part.status ? (
              <Status key={name} of={part.status === 'up' ? 'OK' : part.status.toUpperCase()} />
            ) : (
              <Json key={name} of={part} />
            ),
          ]),
        )}
      />
    </>
  );
}

/**
 * Lists exchange rates. After a sudden large change, a rate keeps its old value until a second reading confirms the change. An alert then
 * reloads this list.
 */
function Rates() {
  const rates = useRead('GET /exchange-rates', {});
  return (
    <Card title="Exchange rates">
      <Loaded of={rates}>
        {(all) => (
          <Table
            rows={all}
            caption="Exchange rates"
            keyOf={({ currencyId }) => currencyId}
            columns={[
              { head: 'Currency', of: ({ currencyId }) => currencyId },
              { head: 'US dollars', of: ({ usdRate }) => usdRate, end: true },
              { head: 'Source', of: ({ source }) => source },
              { head: 'Updated', of: ({ updatedAt }) => <When at={updatedAt} /> },
              { head: 'Status', of: ({ stale }) => <Status of={stale ? 'STALE' : 'OK'} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Statistics() {
  const build = useAct('POST /admin/user/stats/migrate', { said: 'Statistics are being rebuilt' });
  return (
    <May op={build.op}>
      <Card title="Player statistics">
        <p className="dim">
          Rebuilds the statistics from all bets. This takes a while, and figures stay exact meanwhile.
        </p>
        <ActButton act={build} input={{}} kind="danger" confirm="Rebuild the statistics of all players?">
          Rebuild statistics
        </ActButton>
      </Card>
    </May>
  );
}

function Logs() {
  const inForce = useRead(LOGGER, {});
  return (
    <May op={LOGGER}>
      <Card title="Log levels">
        <Loaded of={inForce}>
          {({ level, expiresAt }) => (
            <>
              <p className="dim">
                {expiresAt ? (
                  <>
                    These levels apply until <When at={expiresAt} />, then the default levels.
                  </>
                ) : (
                  'The default levels apply.'
                )}
              </p>
              <Change key={JSON.stringify(level)} of={level} isForAWhile={expiresAt !== undefined} />
            </>
          )}
        </Loaded>
      </Card>
    </May>
  );
}

/**
 * Returns the level that is set for a logger. The result is empty if the logger has the default level or is turned off by configuration.
 */
function chosenOf(name: keyof Levels, level: Levels): string {
  const follows = name !== 'default' && level[name] === level.default;
  return follows || level[name] === 'silent' ? '' : level[name];
}

function Change({ of: level, isForAWhile }: { of: Levels; isForAWhile: boolean }) {
  const change = useAct('PUT /admin/logger', { stale: [LOGGER], said: 'Saved' });
  const names = Object.keys(level) as (keyof Levels)[];
  return (
    <>
      <Form
        act={change}
        input={(f) => ({
          body: {
            level: Object.fromEntries(
              names.filter((name) => f.text(name) !== '').map((name) => [name, f.text(name) as Level]),
            ),
            ttlSeconds: f.number('minutes') * 60,
          },
        })}
        submit="Save log levels"
        confirm="Change the log levels of all processes?"
        tells={({ body }) => <Changes before={level} after={changedIn(level, body.level)} />}
      >
        <div className="fields">
          {names.map((name) => (
            <Select
              key={name}
              name={name}
              label={name === 'default' ? 'All others' : words(name)}
              hint={`Current: ${level[name]}`}
              of={LEVELS.map((value) => ({ value, label: value }))}
              none={name === 'default' ? 'Default level' : 'Same as all others'}
              defaultValue={isForAWhile ? chosenOf(name, level) : ''}
            />
          ))}
          <Field
            name="minutes"
            label="Duration in minutes"
            type="number"
            min={1}
            max={60}
            defaultValue={15}
            required
          />
        </div>
      </Form>
      {isForAWhile && (
        <ActButton act={change} input={{ body: { level: {} } }} kind="ghost">
          Restore default levels
        </ActButton>
      )}
    </>
  );
}
