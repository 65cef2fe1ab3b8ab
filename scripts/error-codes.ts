/**
 * Generates docs/reference/errors.md from the error catalogues in src and the operations that declare their errors. `npm run docs` writes
 * the page.
 */
import { globSync, readFileSync } from 'node:fs';
import { type Node, parseSync, Visitor } from 'oxc-parser';
import { documents } from './openapi.ts';

type Meaning = { code: string; status: number; message: string; group: string };
type Operation = { service: string; name: string };
type Pair = { elements?: { value?: unknown }[] };

/** Longer lists of operations are replaced by their number. */
const LISTED = 12;
/** Titles of the page's sections, by the folder of the catalogue below `src` and `src/modules`, in the order of the page. */
const GROUPS: Readonly<Record<string, string>> = {
  platform: 'Common',
  accounts: 'Accounts and sign-in',
  base: 'Users, staff and settings',
  compliance: 'Gate, limits and KYC',
  money: 'Payments, currencies and bonus money',
  games: 'Games and bets',
  engagement: 'Promotions, rewards and community',
  backoffice: 'Backoffice and CRM',
  operations: 'Operations and debugging',
  realtime: 'Sockets',
};

const INTRO = `# Errors

This page is generated (\`npm run docs\`) from the error catalogues in the source code.

Programs should use \`code\`, which is stable. The message is written for people and may be reworded. It consists of the cause and, if
the caller can do something about it, the remedy. \`details\` contains the facts, and \`requestId\` identifies the request in the logs.
A code has several entries if several modules use it with different messages.

HTTP operations do not declare all codes. The others are returned over sockets (chat), by command-line programs, between modules, to the
sportsbook (codes in lower case), or by the HTTP server before it finds an operation (\`METHOD_NOT_ALLOWED\`). Game providers receive the
codes of their own dialects, which this page does not list.
`;

/** Returns the text of docs/reference/errors.md. */
export function errorsPage(): string {
  const operations = operationsByMeaning();
  const byCode = Map.groupBy(catalogues(), ({ code }) => code);
  const byGroup = Map.groupBy(byCode.values(), ([first]) => first!.group);
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const codes = (byGroup.get(group) ?? []).sort(([a], [b]) => (a!.code < b!.code ? -1 : 1));
    const entries = codes.map((meanings) => entryOf(meanings, operations));
    return `## ${title}\n\n${entries.join('\n')}`;
  });
  return [INTRO, ...sections].join('\n');
}

function entryOf(meanings: readonly Meaning[], operations: Map<string, Operation[]>): string {
  const items = meanings.map((meaning) => {
    const [cause, remedy] = partsOf(meaning.message);
    const lines = [
      `- **${meaning.status}** ${cause}`,
      ...(remedy ? [`  - Remedy: ${remedy}`] : []),
      `  - Declared by: ${listOf(operations.get(keyOf(meaning)) ?? [], meaning.group)}`,
    ];
    return lines.join('\n');
  });
  return `### ${meanings[0]!.code}\n\n${items.join('\n')}\n`;
}

/** Splits a message after its first sentence, which is the cause. The rest is the remedy. */
function partsOf(message: string): [cause: string, remedy: string] {
  const end = /[.?](?= [A-Z])/.exec(message)?.index ?? message.length;
  return [message.slice(0, end + 1), message.slice(end + 2)];
}

function listOf(operations: readonly Operation[], group: string): string {
  if (operations.length === 0)
    return group === 'realtime' ? 'connections and messages of sockets.' : 'no HTTP operation.';
  const byService = Map.groupBy(operations, ({ service }) => service);
  const parts = [...byService].map(([service, own]) => {
    const place = service === 'main' ? 'main API' : 'backoffice';
    return own.length > LISTED
      ? `${own.length} operations of the ${place}`
      : `${own.map(({ name }) => `\`${name}\``).join(', ')} (${place})`;
  });
  return `${parts.join('; ')}.`;
}

const keyOf = ({ code, status, message }: Omit<Meaning, 'group'>) => `${status} ${code} ${message}`;

/** Reads the OpenAPI documents, because they also contain the errors that the HTTP layer adds to an operation. */
function operationsByMeaning(): Map<string, Operation[]> {
  const found = Object.entries(documents()).flatMap(([file, text]) => {
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(
        methods as Record<string, { responses: Record<string, { description: string }> }>,
      ).flatMap(([method, { responses }]) => {
        const operation = { service: file.replace('.json', ''), name: `${method.toUpperCase()} ${path}` };
        return Object.entries(responses).flatMap(([status, { description }]) =>
          Array.from(description.matchAll(/^`([A-Z0-9_]+)` (.+)$/gm), ([, code, message]) => ({
            key: keyOf({ code: code!, status: Number(status), message: message! }),
            operation,
          })),
        );
      }),
    );
  });
  const byKey = Map.groupBy(found, ({ key }) => key);
  return new Map([...byKey].map(([key, all]) => [key, all.map(({ operation }) => operation)]));
}

/** Returns the entries of all `errors({ CODE: [status, message] })` calls. Identical entries of several catalogues are returned once. */
function catalogues(): Meaning[] {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const all = files.sort().flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return /= errors\(\{/.test(source) ? entriesIn(file, source) : [];
  });
  return [...new Map(all.map((meaning) => [keyOf(meaning), meaning])).values()];
}

function entriesIn(file: string, source: string): Meaning[] {
  const group = Object.keys(GROUPS).find((name) => new RegExp(`^src/(modules/)?${name}/`).test(file));
  if (!group) throw new Error(`${file}: scripts/error-codes.ts has no section for this folder`);
  const found: Meaning[] = [];
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [catalogue] }) {
      if (callee.type === 'Identifier' && callee.name === 'errors')
        found.push(...literalsOf(file, catalogue).map((entry) => ({ ...entry, group })));
    },
  });
  visitor.visit(parseSync(file, source).program);
  return found;
}

/** Returns the entries of a catalogue. Throws if one is not written as a literal. */
function literalsOf(file: string, catalogue: Node | undefined): Omit<Meaning, 'group'>[] {
  const properties = catalogue?.type === 'ObjectExpression' ? catalogue.properties : [];
  return properties.map((property) => {
    const { key, value } = property as object as { key: { name?: string; value?: string }; value: Pair };
    const [status, message] = (value.elements ?? []).map((element) => element.value);
    if (typeof status !== 'number' || typeof message !== 'string')
      throw new Error(`${file}: an error needs a status and a message as literals`);
    return { code: String(key.name ?? key.value), status, message };
  });
}
