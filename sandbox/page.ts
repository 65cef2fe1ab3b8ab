/** Returns a page of the sandbox. `body` and `head` are HTML, so escape external text with `escapeHtml` first. */
export function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
${head}<title>${escapeHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
  code, pre { background: #8882; padding: .1em .3em; border-radius: 4px; }
  pre { padding: .5em; white-space: pre-wrap; overflow-wrap: anywhere; }
  dt { margin-top: 1rem; } dd { margin: .2rem 0 0 1.5rem; }
  table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .2rem .6rem .2rem 0; }
  label { display: block; margin: .6rem 0; } input:not([type=checkbox]) { display: block; width: 20rem; font: inherit; }
  button { font: inherit; margin-right: .5rem; } #error { color: #b00; }
  iframe { width: 100%; height: 32rem; border: 1px solid #8888; background: #fff; }
</style>
<h1>${escapeHtml(title)}</h1>
${body}
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Returns hidden form fields that preserve a page's parameters. */
export const hiddenFields = (values: Iterable<[string, string]>): string =>
  [...values]
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('\n');
