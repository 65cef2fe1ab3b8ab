/** Generates docs/reference/events.md: the events that sockets receive, and the events that only RabbitMQ and the CRM receive. */
import { DECLARATIONS } from '../src/app/areas.ts';
import { socketDocument } from '../src/app/asyncapi.ts';
import { jsonSchema } from '../src/http/docs/json-schema.ts';

type Json = Record<string, unknown>;
type Message = { name: string; summary: string; payload: Json; tags?: { name: string }[] };

const INTRO = `# Events

An event is stored in the transaction that causes it. Sockets receive it in its room ([Realtime](realtime.md)), and programs of the
operator receive it from RabbitMQ if \`BROKER_URL\` is set. Events marked with *state* contain the current state, and are sent again after an interruption. \`?\` marks fields that may be
absent. This page is generated (\`npm run docs\`) from the schemas that validate the events.
`;

/** Returns the page. */
export function eventsPage(): string {
  const { channels, components } = socketDocument();
  const rooms = Object.values(channels).map((channel) => {
    const events = Object.keys(channel.messages as Json).map((name) => components.messages[name] as Message);
    // The only channel that is no room contains the messages of clients.
    const address = String(channel.address);
    const title = address.startsWith('/') ? 'Messages of clients' : `\`${address}\``;
    return section(title, String(channel.description), events.map(rowOf));
  });
  const schemas = { ...components.schemas };
  const options = { io: 'output', target: 'draft-7' } as const;
  const internal = Object.entries(DECLARATIONS.events)
    .filter(([, { room }]) => room === 'internal')
    .map(([name, { summary, data }]) =>
      rowOf({ name, summary, payload: jsonSchema(data, options, schemas) }),
    );
  const records = Object.entries(schemas).map(([name, schema]) => `### ${name}\n\n${fieldsOf(schema)}\n`);
  return [
    INTRO,
    ...rooms,
    section('Not for sockets', 'No socket receives these events.', internal),
    '## Records\n',
    ...records,
  ].join('\n');
}

const section = (title: string, about: string, rows: readonly string[]): string =>
  `## ${title}\n\n${about}\n\n| Event | Sent when | Data |\n| --- | --- | --- |\n${rows.join('\n')}\n`;

function rowOf({ name, summary, payload, tags }: Message): string {
  const { data } = (payload.properties ?? {}) as { data?: Json };
  const mark = tags?.some((tag) => tag.name === 'state') ? ' *state*' : '';
  return `| \`${name}\`${mark} | ${cell(summary)} | ${cell(fieldsOf(data ?? payload))} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Returns the fields of a record with their types. A schema without properties is written as its type. */
function fieldsOf(schema: Json): string {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  if (fields.length === 0) return typeOf(schema);
  const required = new Set((schema.required ?? []) as string[]);
  return fields
    .map(([name, field]) => `\`${name}\`${required.has(name) ? '' : '?'} ${typeOf(field)}`)
    .join(', ');
}

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  const anyOf = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Json[] | undefined;
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Json)}`;
  if (Object.keys(schema.properties ?? {}).length > 0) return `{ ${fieldsOf(schema)} }`;
  return [schema.type ?? 'any value'].flat().join(' or ');
}
