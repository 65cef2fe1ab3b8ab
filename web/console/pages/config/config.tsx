import { Link } from 'wouter';
import type { SiteSettings } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { Note } from '../../../kit/note.tsx';
import { Card, Empty, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { Tabs } from '../../../kit/tabs.tsx';
import { Changes } from '../../changes.tsx';
import { changedIn } from '../../differences.ts';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { type Code, SECTIONS, type Section, type Setting, TABS } from './fields.ts';
import { FindSetting, useSought } from './find-setting.tsx';
import { type Row, Rows } from './rows.tsx';

const ONE = 'GET /admin/config/{code}';
const CHANGE = 'PATCH /admin/config/{code}';
type Values = Readonly<Record<string, unknown>>;

const PATHS = Object.fromEntries(TABS.map(({ name, path }) => [name, path]));

/** Settings that superadmins change at runtime, with the history of changes. */
export function Configuration({ params: { code } }: { params: { code?: string } }) {
  const path = code === undefined ? '/configuration' : `/configuration/${code}`;
  const chosen = TABS.find((tab) => tab.path === path)?.code ?? 'COMMON';
  const settings = useRead(ONE, { path: { code: chosen } });
  return (
    <Page
      title="Settings"
      of={settings}
      actions={<FindSetting />}
      filters={<Tabs label="Settings" of={PATHS} />}
    >
      {({ config, changes }) => (
        <>
          <Waiting of={['config']} about={{ code: chosen }} />
          <div className="stack" key={`${chosen} ${changes[0]?.version ?? 0}`}>
            <div className="masonry">
              {SECTIONS[chosen]
                .filter((section) => !isWide(section))
                .map((section) => (
                  <Part key={section.title} code={chosen} section={section} config={config} />
                ))}
            </div>
            {SECTIONS[chosen].filter(isWide).map((section) => (
              <Part key={section.title} code={chosen} section={section} config={config} />
            ))}
            <History of={changes} code={chosen} />
          </div>
        </>
      )}
    </Page>
  );
}

/** Returns true if a section has a table of several columns, which needs the full page width. */
const isWide = ({ of }: Section) => of.some(({ columns = [] }) => columns.length > 2);

function Part({ code, section, config }: { code: Code; section: Section; config: Values }) {
  const sought = useSought(section);
  const change = useAct(CHANGE, { stale: [ONE, 'GET /config/{code}'], said: 'Saved' });
  const { title, under, of } = section;
  const held = (under === undefined ? config : config[under]) as Values;
  const changed = (f: Filled): Values =>
    changedIn(held, Object.fromEntries(of.map((setting) => [setting.name, readSetting(setting, f)])));
  return (
    <div ref={sought}>
      <Card title={title}>
        <Form
          act={change}
          input={(f) => ({
            path: { code },
            body: under === undefined ? { ...changed(f) } : { [under]: changed(f) },
          })}
          confirm="Save these settings?"
          tells={({ body = {} }) => (
            <Effect of={section} before={held} after={(under === undefined ? body : body[under]) as Values} />
          )}
        >
          {of.map((setting) => (
            <SettingField key={setting.name} of={setting} value={held[setting.name]} />
          ))}
        </Form>
      </Card>
    </div>
  );
}

/** The changed settings, and what players lose by them. */
function Effect({ of: { of }, before, after }: { of: Section; before: Values; after: Values }) {
  const losses = of.filter(({ name, whenOff }) => whenOff && after[name] === false);
  return (
    <>
      <Changes before={before} after={after} names={namesOf(of)} />
      {losses.map(({ name, whenOff }) => (
        <Note key={name} kind="warn">
          {whenOff}
        </Note>
      ))}
      <p className="dim sm">The change applies to everyone within a second.</p>
    </>
  );
}

const namesOf = (settings: readonly Setting[]) =>
  Object.fromEntries(settings.map(({ name, label }) => [name, label]));

/** Returns a setting in the format that the server expects. */
function readSetting({ name, kind, isOptional, columns = [] }: Setting, f: Filled): unknown {
  const names = columns.map((column) => column.name);
  const valueIn = (row: Record<string, string>, column: string) => {
    const { kind: of } = columns.find((one) => one.name === column)!;
    const given = row[column]!;
    return of === 'number' ? Number(given) : of === 'switch' ? given === 'true' : given;
  };
  switch (kind) {
    case 'switch':
      return f.flag(name);
    case 'number':
      return isOptional ? (f.optionalNumber(name) ?? null) : f.number(name);
    case 'lines':
      return f.list(name);
    case 'moment':
      return f.moment(name) ?? null;
    case 'rows':
      return f
        .rows(name, names)
        .map((row) => Object.fromEntries(names.map((column) => [column, valueIn(row, column)])));
    case 'map':
      return Object.fromEntries(f.rows(name, names).map((row) => [row.key!, valueIn(row, 'value')]));
    default:
      return isOptional ? f.orNull(name) : f.text(name);
  }
}

/** Formats a timestamp for a date-and-time field, in the reader's time zone. */
function localOf(at: string): string {
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const USD = '(0|[1-9][0-9]{0,8})(\\.[0-9]{1,2})?';
const PERCENT = '(100(\\.00?)?|(0|[1-9][0-9]?)(\\.[0-9]{1,2})?)';

function SettingField({ of, value }: { of: Setting; value: unknown }) {
  const {
    name,
    label,
    kind,
    isOptional = false,
    columns = [],
    min,
    max,
    step,
    maxLength,
    pattern,
    hint,
  } = of;
  const plain = value === null || value === undefined ? '' : String(value);
  switch (kind) {
    case 'switch':
      return <Check name={name} label={label} defaultChecked={value === true} />;
    case 'long':
      return <TextArea name={name} label={label} rows={2} maxLength={maxLength} defaultValue={plain} />;
    case 'lines':
      return <TextArea name={name} label={label} rows={3} defaultValue={(value as string[]).join('\n')} />;
    case 'rows':
      return <Rows name={name} label={label} columns={columns} rows={value as Row[]} />;
    case 'map': {
      const rows = Object.entries(value as Values).map(([key, one]) => ({ key, value: one }));
      return <Rows name={name} label={label} columns={columns} rows={rows} />;
    }
    case 'number':
      return (
        <Field
          name={name}
          label={label}
          type="number"
          min={min}
          max={max}
          step={step}
          defaultValue={plain}
          required={!isOptional}
        />
      );
    case 'moment':
      return (
        <Field
          name={name}
          label={label}
          type="datetime-local"
          defaultValue={plain && localOf(plain)}
          step="1"
        />
      );
    default:
      return (
        <Field
          name={name}
          label={label}
          hint={hint}
          maxLength={maxLength}
          pattern={kind === 'dollars' ? USD : kind === 'percent' ? PERCENT : pattern}
          inputMode={kind === 'text' ? undefined : 'decimal'}
          defaultValue={plain}
          required={kind !== 'text' && !isOptional}
        />
      );
  }
}

/** The changes of these settings. The audit log has the whole requests of their authors. */
function History({ of, code }: { of: SiteSettings['changes']; code: Code }) {
  const names = namesOf(SECTIONS[code].flatMap((section) => section.of));
  return (
    <Card title="History" actions={<Link href="/audit">Audit log</Link>}>
      {of.length === 0 && <Empty>Changes appear here. All settings have their defaults.</Empty>}
      <ol className="history">
        {of.map(({ version, at, by, before, after }) => (
          <li key={version}>
            <p>
              <When at={at} /> <UserLink of={by} /> <small className="dim">version {version}</small>{' '}
              {by && (
                <Link href={`/audit?userId=${by.id}`} className="xs">
                  All actions of this person
                </Link>
              )}
            </p>
            <Changes before={before} after={after} names={names} />
          </li>
        ))}
      </ol>
    </Card>
  );
}
