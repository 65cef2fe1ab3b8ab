/** Generates docs/reference/schema.md from the baseline and the migrations: a diagram for each area, and a line for each table. */
import { readdirSync, readFileSync } from 'node:fs';
import { FILES } from '../src/platform/database/schema/baseline.ts';
import { actionsOf, statementsOf } from './sql-words.ts';

type Key = { column: string; type: string; isPrimary: boolean; references?: string | undefined };
type Table = { name: string; about: string; keys: readonly Key[] };

const PAGE = 'docs/reference/schema.md';
/** A table with its comment, up to the parenthesis that ends its columns. */
const TABLE = /((?:^--.*\n)+)create (?:unlogged )?table (\w+) \(\n([\s\S]*?)\n\)/gm;
const COLUMN = /^(?!constraint\b|primary\b|foreign\b|unique\b|check\b)(\w+) (\w+)/;
const REFERENCES = /\breferences (\w+)/;

const INTRO = `# Tables

Each area has a diagram of its tables with their keys, and a line for each table. An arrow points to the table to which a foreign key refers;
tables of other areas appear without columns. Tables without foreign keys are only in the list. This page is generated (\`npm run docs\`)
from \`schema/\` and \`migrations/\`, which describe every column. [Data](data.md) names the job or code that deletes the rows of each table.
`;

/** Returns the page by file name. */
export function schemaPage(): Record<string, string> {
  const areas = FILES.map((name) => areaOf(name, readFileSync(`schema/${name}.sql`, 'utf8')));
  const later = readdirSync('migrations')
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readFileSync(`migrations/${file}`, 'utf8'));
  const text = [...areas, areaOf('since the baseline', later.join('\n'))].filter(Boolean).join('\n');
  return { [PAGE]: `${INTRO}\n${text}` };
}

function areaOf(name: string, text: string): string {
  const tables = [...text.matchAll(TABLE)].map(([, comment, table, body]) => ({
    name: table!,
    about: sentencesOf(comment!),
    keys: keysOf(body!),
  }));
  if (tables.length === 0) return '';
  const rows = tables.map((table) => `| \`${table.name}\` | ${table.about.replaceAll('|', '\\|')} |`);
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const list = `| Table | Row |\n| --- | --- |\n${rows.join('\n')}\n`;
  return `## ${title}\n\n${diagram(tables)}${list}`;
}

/** Joins the lines of a comment. */
const sentencesOf = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^-- ?/, ''))
    .join(' ')
    .trim();

/** Returns the columns of the primary key and of foreign keys. */
function keysOf(body: string): Key[] {
  const items = actionsOf(statementsOf(body)[0]!);
  const lists = items.flatMap((item) => {
    const [, kind, columns, rest] =
      /^(?:constraint \w+ )?(primary|foreign) key \(([^)]*)\)(.*)/.exec(item) ?? [];
    return kind === undefined ? [] : [{ kind, columns: columns!.split(', '), rest: rest! }];
  });
  const keys = items.flatMap((item): Key[] => {
    const [, column, type] = COLUMN.exec(item) ?? [];
    if (!column || !type) return [];
    const own = lists.filter(({ columns }) => columns.includes(column));
    const isPrimary = /\bprimary key\b/.test(item) || own.some(({ kind }) => kind === 'primary');
    const foreign = own.find(({ kind }) => kind === 'foreign')?.rest ?? item;
    return [{ column, type, isPrimary, references: REFERENCES.exec(foreign)?.[1] }];
  });
  return keys.filter(({ isPrimary, references }) => isPrimary || references);
}

/** Returns a diagram of the tables that have foreign keys or that another table of the area refers to. */
function diagram(tables: readonly Table[]): string {
  const links = tables.flatMap(({ name, keys }) =>
    keys.flatMap(({ column, references }) => (references ? [{ from: name, column, to: references }] : [])),
  );
  if (links.length === 0) return '';
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const boxes = tables
    .filter(({ name }) => linked.has(name))
    .map(({ name, keys }) => `  ${name} {\n${keys.map(keyLine).join('')}  }\n`);
  const arrows = links.map(({ from, column, to }) => `  ${from} }o--|| ${to} : ${column}\n`);
  return `\`\`\`mermaid\nerDiagram\n${boxes.join('')}${arrows.join('')}\`\`\`\n\n`;
}

const keyLine = ({ column, type, isPrimary, references }: Key): string =>
  `    ${type} ${column} ${[isPrimary && 'PK', references && 'FK'].filter(Boolean).join(', ')}\n`;
