/** Compiles the email templates: inserts each src/modules/base/mail/templates/*.mjml into layout.mjml. The results are *.html.eta. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import mjml2html from 'mjml';

const FOLDER = 'src/modules/base/mail/templates';
const LAYOUT = 'layout.mjml';
const PLACE = '<!-- content -->';

/** Returns the compiled templates by file name. Throws if one is not valid MJML. */
export async function pages(): Promise<Record<string, string>> {
  const layout = readFileSync(join(FOLDER, LAYOUT), 'utf8');
  const sources = readdirSync(FOLDER).filter((name) => name.endsWith('.mjml') && name !== LAYOUT);
  const entries = sources.map(async (name): Promise<[string, string]> => {
    // The replacement is a function, because `$` would have a special meaning in a replacement string.
    const source = layout.replace(PLACE, () => readFileSync(join(FOLDER, name), 'utf8').trim());
    const { html } = await mjml2html(source, { validationLevel: 'strict', keepComments: false });
    return [join(FOLDER, name.replace(/\.mjml$/, '.html.eta')), `${withoutBlanks(html)}\n`];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Removes the indentation, which would be half of the email's size. */
function withoutBlanks(html: string): string {
  return html
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}
