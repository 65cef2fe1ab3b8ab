import type { Endpoint, SandboxService } from './endpoint.ts';

/** The page at `/`: what the sandbox stands in for, and a request to try each operation with. */
export function indexPage(services: readonly SandboxService[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
  code { background: #8882; padding: .1em .3em; border-radius: 4px; }
  dt { margin-top: 1rem; } dd { margin: .2rem 0 0 1.5rem; }
</style>
<h1>Sandbox</h1>
<p>Stands in for the services outside the platform, over the same HTTP. For development and tests only.</p>
${services.map(section).join('\n')}
</html>
`;
}

function section({ name, about, endpoints }: SandboxService): string {
  return `<h2>${escapeHtml(name)}</h2>
<p>${escapeHtml(about)}</p>
<dl>
${endpoints.map(entry).join('\n')}
</dl>`;
}

function entry({ method, path, about, example }: Endpoint): string {
  const body = example ? `<br>For example <code>${escapeHtml(example)}</code>` : '';
  return `<dt><code>${method} ${escapeHtml(path)}</code></dt>\n<dd>${escapeHtml(about)}${body}</dd>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
