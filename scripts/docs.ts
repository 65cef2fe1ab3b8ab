/**
 * Generates docs/reference/configuration.md (from the list of settings that the platform reads), docs/reference/schema.md (from the schema),
 * docs/reference/errors.md (from the error catalogues), docs/reference/events.md and the index of decisions.
 */
import { globSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, loadConfig } from '../src/platform/config/config.ts';
import { sections } from '../src/platform/config/sections.ts';
import { errorsPage } from './error-codes.ts';
import { eventsPage } from './events-page.ts';
import { schemaPage } from './schema-page.ts';

const FILE = 'docs/reference/configuration.md';
const DECISIONS = 'docs/decisions/README.md';
const ERRORS = 'docs/reference/errors.md';
const EVENTS = 'docs/reference/events.md';

const INTRO = `# Configuration

Settings are environment variables. They are checked at startup: a process with an invalid setting reports it and does not start. An empty
variable has the same effect as an absent one. \`npx croupier config check\` checks an environment without starting anything. This page is
generated (\`npm run docs\`) from \`src/platform/config/sections.ts\`.

**Required** settings must be set if \`APP_ENV\` is \`staging\` or \`production\`. In \`local\` and \`test\` every setting has a default.
**Secret** settings never appear in responses, logs or messages.
`;

/** Returns the generated pages by file name. */
export function pages(): Record<string, string> {
  const required = requiredNames();
  const tables = Object.entries(sections).map(([section, entries]) => {
    const rows = Object.entries<z.ZodType>(entries).map(([name, schema]) =>
      row(name, schema, required.has(name)),
    );
    return `## ${section}\n\n| Setting | Default | Values | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return {
    [FILE]: [INTRO, ...tables].join('\n'),
    [DECISIONS]: decisions(),
    ...schemaPage(),
    [ERRORS]: errorsPage(),
    [EVENTS]: eventsPage(),
  };
}

/** Returns the index of decisions. Throws if a decision has no heading (`# 7. Title`) or status line. */
function decisions(): string {
  const rows = globSync('docs/decisions/[0-9]*.md')
    .sort()
    .map((file) => {
      const [, number, title, state] =
        /^# (\d+)[.] (.+)\n\nStatus: ([\s\S]+?)\n\n/.exec(readFileSync(file, 'utf8')) ?? [];
      if (!number || !state)
        throw new Error(`${file} needs the lines '# ${file.slice(15, 18)}. Title', '' and 'Status: …'`);
      return `| ${number} | [${title}](${file.slice('docs/decisions/'.length)}) | ${state.replaceAll('\n', ' ')} |`;
    });
  return ['# Decisions', '', '| | Decision | Status |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function row(name: string, schema: z.ZodType, isRequired: boolean): string {
  const form = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Form;
  const marks = [isRequired && '**required**', schema.meta()?.secret && '**secret**']
    .filter(Boolean)
    .join(', ');
  const cells = [
    `\`${name}\`${marks && `<br>${marks}`}`,
    defaultOf(form),
    valuesOf(form),
    schema.description ?? '',
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

type Form = {
  type?: string;
  default?: unknown;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  pattern?: string;
  format?: string;
};

function defaultOf(form: Form): string {
  if (form.default === undefined) return 'none';
  return form.default === '' ? 'empty' : `\`${String(form.default)}\``;
}

function valuesOf(form: Form): string {
  if (form.enum) return form.enum.map((value) => `\`${value}\``).join(', ');
  if (form.type === 'integer') return rangeOf(form);
  if (form.format === 'uri') return 'URL';
  if (form.pattern) return `text like \`${form.pattern}\``;
  return (form.minLength ?? 0) > 1 ? `text of at least ${form.minLength} characters` : 'text';
}

/** Describes a setting's range. A maximum of a billion or more is not shown, because it means that there is no practical limit. */
function rangeOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Form): string {
  return maximum < 1_000_000_000 ? `${minimum} to ${maximum}` : `whole number from ${minimum}`;
}

/** Returns the settings that loadConfig requires in production. */
function requiredNames(): Set<string> {
  try {
    loadConfig({ APP_ENV: 'production' });
  } catch (error) {
    if (error instanceof ConfigError) return new Set(error.message.match(/(?<=^ {2}- )[A-Z_]+/gm));
    throw error;
  }
  return new Set();
}
