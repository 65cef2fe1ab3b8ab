import type { Endpoint, SandboxService } from './endpoint.ts';
import { escapeHtml, page } from './page.ts';

/** Returns the page at `/`: the simulated services, their settings, and an example request for each operation. */
export function indexPage(services: readonly SandboxService[]): string {
  const intro = `<p>Replaces the platform's external services and uses the same protocols. For development and tests only.
These settings connect the platform to the sandbox. With the default ports they need not be set in development.</p>`;
  return page('Sandbox', [intro, ...services.map(section)].join('\n'));
}

function section({ name, about, settings, endpoints }: SandboxService): string {
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return `<h2>${escapeHtml(name)}</h2>
<p>${escapeHtml(about)}</p>
<pre>${escapeHtml(lines.join('\n'))}</pre>
<dl>
${endpoints.map(entry).join('\n')}
</dl>`;
}

function entry({ method, path, about, example }: Endpoint): string {
  const isPage = method === 'GET' && !path.includes('{');
  const address = `<code>${method} ${escapeHtml(path)}</code>`;
  const body = example ? `<br>For example <code>${escapeHtml(example)}</code>` : '';
  return `<dt>${isPage ? `<a href="${path}">${address}</a>` : address}</dt>\n<dd>${escapeHtml(about)}${body}</dd>`;
}
