import type { AsyncApi } from './asyncapi.ts';
import type { StaticPage } from './pages.ts';

type Json = Record<string, unknown>;
type Message = { name: string; summary: string; payload: Json; tags?: { name: string }[] };

/** Renders the AsyncAPI document as a readable page, without scripts or external resources. */
export function eventsPage(document: () => AsyncApi): StaticPage {
  return {
    name: 'events',
    path: '/docs/events',
    about: 'reference of the socket events',
    html: () => pageOf(document()),
  };
}

function pageOf(document: AsyncApi): string {
  const { info, channels, components } = document;
  const sections = Object.values(channels).map((channel) => sectionOf(channel, document));
  const records = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="${esc(name)}">${esc(name)}</h3>\n${fieldsTable(schema)}`,
  );
  return htmlPage(
    `${info.title}: events`,
    `<h1>${esc(info.title)}</h1>
<p>${prose(info.description)}</p>
<p>The same for programs: <a href="/asyncapi.json">asyncapi.json</a> (AsyncAPI ${esc(document.asyncapi)}).</p>
<h2>To connect, and to come back</h2>
${SKETCH}
${sections.join('\n')}
<h2>Records</h2>
${records.join('\n')}`,
  );
}

/** Returns an HTML page. `body` is inserted as HTML, so escape external text with `esc` first. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${esc(title)}</title><style>${STYLE}</style></head><body><main>
${body}
</main></body></html>
`;

function sectionOf(channel: Json, document: AsyncApi): string {
  const names = Object.keys(channel.messages as Json);
  const messages = names.map((name) => document.components.messages[name] as Message);
  return `<h2>${esc(String(channel.address))}</h2>
<p>${prose(String(channel.description))}</p>
${messages.map(messageOf).join('\n')}`;
}

function messageOf({ name, summary, payload, tags }: Message): string {
  const { data } = (payload.properties ?? {}) as { data?: Json };
  const mark = tags?.some((tag) => tag.name === 'state') ? ' <small>state</small>' : '';
  return `<h3 id="${esc(name)}">${esc(name)}${mark}</h3>\n<p>${prose(summary)}</p>\n${fieldsTable(data ?? payload)}`;
}

/** Renders the fields of a record. A schema without properties (a reference or a union) is rendered as its type. */
function fieldsTable(schema: Json): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  if (properties.length === 0) return `<p><code>${typeOf(schema)}</code></p>`;
  const required = new Set((schema.required ?? []) as string[]);
  const rows = properties.map(
    ([name, field]) =>
      `<tr><td><code>${esc(name)}</code>${required.has(name) ? '' : ' <small>may be absent</small>'}</td>` +
      `<td>${typeOf(field)}</td><td>${prose(String(field.description ?? ''))}</td></tr>`,
  );
  return `<table><thead><tr><th>Field</th><th>Form</th><th></th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = esc(schema.$ref.split('/').at(-1)!);
    return `<a href="#${name}">${name}</a>`;
  }
  const anyOf = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => `<code>${esc(String(value))}</code>`).join(', ');
  if (schema.const !== undefined) return `<code>${esc(JSON.stringify(schema.const))}</code>`;
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Json)}`;
  if (schema.type === 'object' && schema.properties) {
    const fields = Object.entries(schema.properties as Record<string, Json>);
    return `{ ${fields.map(([name, field]) => `<code>${esc(name)}</code>: ${typeOf(field)}`).join(', ')} }`;
  }
  return esc([schema.type ?? 'anything'].flat().join(' or '));
}

export const esc = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** Escapes text and renders words between backticks as code. */
const prose = (text: string): string => esc(text).replace(/`([^`]*)`/g, '<code>$1</code>');

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;margin:0;color:#1c2330;background:#fff}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.6rem}h2{margin-top:2.5rem;border-bottom:1px solid #d7dce5;font-size:1.25rem}h3{margin:1.6rem 0 .2rem;font-size:1rem}
p{margin:.3rem 0}table{border-collapse:collapse;width:100%;margin:.4rem 0}
th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #eceff4}
th{font-weight:600;color:#5a6475;font-size:.85rem}code{font:.9em ui-monospace,monospace;background:#f3f5f9;padding:0 .2em}
small{color:#5a6475;font-weight:400}svg{max-width:100%;height:auto}
svg text{font:13px system-ui,sans-serif;fill:#1c2330}svg .line{stroke:#5a6475}svg .life{stroke:#c3cad6;stroke-dasharray:4 4}
@media (prefers-color-scheme:dark){body,svg text{color:#e6e9ef;fill:#e6e9ef;background:#141821}code{background:#222836}
h2,th,td{border-color:#2c3445}a{color:#8db4ff}}
`;

/** The steps of the sequence diagram: `right` is sent by the client, `left` by the server. */
const STEPS = [
  ['right', 'connect, auth { socket_token }'],
  ['left', 'ready { rooms }, seq 100'],
  ['left', 'bet.settled, seq 117'],
  ['left', 'balance.updated, seq 120'],
  ['none', 'the connection breaks'],
  ['right', 'connect, auth { socket_token, lastSeq: 120 }'],
  ['left', 'missed events, in order: seq 131, 145 …'],
  ['left', 'current state: balances, live bets, the round'],
  ['left', 'ready (after resync: load the state over HTTP)'],
] as const;

const STEP = 34;
const WIDTH = 620;

const SKETCH = (() => {
  const height = STEPS.length * STEP + 60;
  const [client, server] = [70, WIDTH - 70];
  const steps = STEPS.map(([way, label], i) => {
    const y = 66 + i * STEP;
    const text = `<text x="${WIDTH / 2}" y="${y - 6}" text-anchor="middle">${esc(label)}</text>`;
    if (way === 'none') return text;
    const [from, to, tip] = way === 'right' ? [client, server, -8] : [server, client, 8];
    return `${text}<path class="line" fill="none" d="M${from} ${y}H${to}m${tip} -4L${to} ${y}l${tip} 4"/>`;
  });
  const life = (x: number, name: string) =>
    `<text x="${x}" y="20" text-anchor="middle">${name}</text><path class="life" d="M${x} 30V${height}"/>`;
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Connecting, and resuming after an interruption">${life(client, 'client')}${life(server, 'server')}${steps.join('')}</svg>`;
})();
