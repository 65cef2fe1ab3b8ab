/**
 * npm run build: writes all generated files. `npm run build openapi` writes only the files of that name. With `npm run build -- --verify` it writes
 * nothing, and exits with 1 if a file is not up to date. `npm run build site` builds the documentation site, which is not part of the
 * repository, and fails if a link between its pages is dead.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';

/** Returns generated files by path. */
type Pages = () => Promise<Record<string, string>>;

/** The generated files whose contents depend only on the sources. */
export const PAGES: Readonly<Record<string, Pages>> = {
  openapi: async () => (await import('./openapi.ts')).pages(),
  client: async () => (await import('./client.ts')).pages(),
  docs: async () => (await import('./docs.ts')).pages(),
  verifier: async () => (await import('./verifier.ts')).pages(),
  mail: async () => (await import('./mail.ts')).pages(),
};
/** The types of the tables, which are generated from a migrated database. */
const TABLES = 'tables';
/** The documentation site in dist/docs, which is built from the other files. It is built only if its name is given. */
const SITE = 'site';

/** Returns the files of one name that do not match their sources. */
export async function listStale(name: string): Promise<string[]> {
  const old = Object.entries(await PAGES[name]!()).filter(([file, text]) => read(file) !== text);
  return old.map(([file]) => `${file} is not up to date: npm run build ${name}`);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function write(name: string): Promise<void> {
  for (const [file, text] of Object.entries(await PAGES[name]!())) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Returns the arguments, or exits with 2 because of an unknown option. */
function readArguments() {
  try {
    return parseArgs({ options: { verify: { type: 'boolean', default: false } }, allowPositionals: true });
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run build -- [NAME …] [--verify]`);
    process.exit(2);
  }
}

async function build(names: readonly string[], verify: boolean): Promise<number> {
  const stale: string[] = [];
  for (const name of names) {
    if (name === TABLES) await (await import('./db-types.ts')).buildTables(verify);
    else if (name === SITE)
      execFileSync('npm', ['run', 'build', '-w', '@croupier/docs'], { stdio: 'inherit' });
    else if (verify) stale.push(...(await listStale(name)));
    else await write(name);
  }
  for (const line of stale) console.log(line);
  return stale.length === 0 ? 0 : 1;
}

if (import.meta.main) {
  const { values, positionals } = readArguments();
  // The tables come first, because the other files are generated from sources that use their types.
  const names = [TABLES, ...Object.keys(PAGES)];
  const unknown = positionals.filter((name) => ![...names, SITE].includes(name));
  if (unknown.length > 0) {
    console.error(`Unknown name ${unknown.join(', ')}; names: ${[...names, SITE].join(', ')}.`);
    process.exit(2);
  }
  process.exit(await build(positionals.length > 0 ? positionals : names, values.verify));
}
