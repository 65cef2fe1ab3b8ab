/** Generates the public page that verifies bets. It is one file and contains the same rules that the platform uses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const FOLDER = 'web/verifier';
const FILE = join(FOLDER, 'verify.html');

/** Returns the page by file name. */
export async function pages(): Promise<Record<string, string>> {
  const { output } = await build({
    input: join(FOLDER, 'main.ts'),
    // The code is not minified, so that everyone can read the code that verifies their bets.
    output: { format: 'iife', minify: false },
    tsconfig: false,
    write: false,
    logLevel: 'silent',
  });
  const { code } = output[0];
  const outside = [/<\/script/i, /<!--/, /\brequire\(/, /\bimport\b\s*[('"{]/].find((pattern) =>
    pattern.test(code),
  );
  if (outside || output.length !== 1)
    throw new Error(`${FILE} is not self-contained: ${outside ?? 'several files'}`);
  const page = readFileSync(join(FOLDER, 'template.html'), 'utf8')
    .replace('/* style */', () => `\n${readFileSync(join(FOLDER, 'style.css'), 'utf8')}`)
    .replace('/* script */', () => `\n${code}`);
  return { [FILE]: page };
}
