/** Checks imports with dependency-cruiser and the rules of .dependency-cruiser.cjs. */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  cruise,
  type ICruiseOptions,
  type ICruiseResult,
  type IForbiddenRuleType,
  type IModule,
} from 'dependency-cruiser';

const SOURCES = [
  'src',
  'test',
  'bench',
  'sandbox',
  'scripts',
  'demo',
  'rtp',
  'conformance',
  'client',
  'web',
  'docs/.vitepress',
];

/**
 * Returns one line per forbidden import. dependency-cruiser needs the compiler API of TypeScript to read its files, and TypeScript 7 has no
 * such API. It therefore receives a copy of the sources as JavaScript, created by the same type stripping that Node uses to run them.
 */
export async function layerViolations(root: string): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'croupier-layers-'));
  try {
    // The compiled client is excluded.
    const files = globSync(`{${SOURCES.join(',')}}/**/*.{ts,tsx}`, {
      cwd: root,
      exclude: ['client/dist/**'],
    });
    for (const file of files) {
      const target = join(copy, asJavaScript(file));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, await asProgram(file, readFileSync(join(root, file), 'utf8')));
    }
    symlinkSync(resolve(root, 'node_modules'), join(copy, 'node_modules'));
    for (const file of globSync('{.,*}/package.json', { cwd: root }))
      writeFileSync(join(copy, file), readFileSync(join(root, file)));
    return await violationsIn(copy, root);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function violationsIn(copy: string, root: string): Promise<string[]> {
  const config = createRequire(import.meta.url)(resolve(root, '.dependency-cruiser.cjs')) as {
    forbidden: IForbiddenRuleType[];
    options: ICruiseOptions & { enhancedResolveOptions: object };
  };
  const { options, forbidden } = config;
  const { output } = await cruise(
    SOURCES.filter((folder) => globSync(`${folder}/**/*.js`, { cwd: copy }).length > 0),
    { ...options, ruleSet: { forbidden }, validate: true, baseDir: copy },
  );
  const { summary, modules } = output as ICruiseResult;
  const comments = new Map(forbidden.map((rule) => [rule.name, rule.comment]));
  const broken = summary.violations.map(({ rule, from, to, cycle }) => {
    const way = [from, ...(cycle?.map((step) => step.name) ?? [to])].map(asTypeScript).join(' → ');
    return `${way}\n    ${rule.name}: ${comments.get(rule.name)}`;
  });
  return [...broken, ...circlesOfModules(modules), ...importedOperations(modules)];
}

/** Returns the module that a file belongs to. Tests may import anything. */
const moduleOf = (file: string) =>
  file.includes('.test.') ? undefined : /^src\/modules\/([^/]+\/[^/]+)\//.exec(file)?.[1];

const OPERATION = 'src/http/operation.js';

/** Returns one line for each forbidden import of a file that declares operations. Only module.ts and tests may import such files. */
function importedOperations(files: readonly IModule[]): string[] {
  const isModule = ({ source }: IModule) => source.endsWith('/module.js');
  const resolved = ({ dependencies }: IModule) => dependencies.map((dependency) => dependency.resolved);
  const operations = new Set(
    files
      .filter((file) => moduleOf(file.source) && !isModule(file) && resolved(file).includes(OPERATION))
      .map(({ source }) => source),
  );
  return files
    .filter((file) => !isModule(file) && !file.source.includes('.test.'))
    .flatMap((file) =>
      resolved(file)
        .filter((to) => operations.has(to))
        .map(
          (to) => `${asTypeScript(file.source)} → ${asTypeScript(to)}\n    only module.ts imports operations`,
        ),
    );
}

/** Returns one line per import cycle. Modules of an area may import each other, but not in a cycle. */
function circlesOfModules(files: readonly IModule[]): string[] {
  const known = new Map<string, Set<string>>();
  for (const { source, dependencies } of files) {
    const from = moduleOf(source);
    if (from === undefined) continue;
    const all = known.get(from) ?? new Set();
    known.set(from, all);
    for (const { resolved } of dependencies) {
      const to = moduleOf(resolved);
      if (to !== undefined && to !== from) all.add(to);
    }
  }
  const [done, found]: [Set<string>, string[]] = [new Set(), []];
  const visit = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) {
      const circle = [...way.slice(way.indexOf(name)), name].join(' → ');
      found.push(`${circle}\n    no-circles-of-modules: pass a function to one of them instead.`);
    } else if (!done.has(name)) {
      for (const next of known.get(name) ?? []) visit(next, [...way, name]);
      done.add(name);
    }
  };
  for (const name of known.keys()) visit(name, []);
  return found;
}

const LEDGER_TABLES =
  /\bledger_(lines|entries|postings|accounts)\b|\b(from|into|join|update|\w+(From|Into|Join|Table)\()\s*['"`]?wallets\b/gi;
/**
 * Files outside the ledger that may contain the names of its tables. Reconciliation and the checks of modules (in checks.ts or module.ts)
 * verify the ledger independently, and the partitions module manages the partitions of its tables. They change no rows.
 */
const MAY_NAME_THEM =
  /^src\/modules\/(money\/ledger|operations\/(reconcile|partitions))\/|^src\/modules\/.*\/(checks|module)\.ts$|^src\/platform\/database\/tables\.ts$|\.test\.ts$/;

/** Returns one line per file outside modules/money/ledger that contains the name of one of the ledger's tables. */
export function ledgerTablesNamed(root: string): string[] {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !MAY_NAME_THEM.test(file));
  return files.flatMap((file) => {
    const found = readFileSync(join(root, file), 'utf8').match(LEDGER_TABLES);
    return found ? [`${file} contains "${found[0]}": only modules/money/ledger may name its tables`] : [];
  });
}

/** Turns type imports into calls that the rules recognise as `exotic-require`, and removes all other TypeScript syntax. */
async function asProgram(file: string, source: string): Promise<string> {
  const marked = source
    .replace(/^import '[^']*[.]css';$/gm, '')
    .replace(
      /^(?:import|export) type [^;]*? from '([^']+)';/gm,
      (_, specifier: string) => `typeOnly('${specifier}');`,
    );
  return (await withoutTypes(file, marked)).replace(
    /((?:from|import\(|typeOnly\(|^import) ?['"]\.[^'"]*)\.tsx?(['"])/gm,
    '$1.js$2',
  );
}

/** Compiles JSX, which Node's type stripping does not support. Rolldown is loaded only for such files. */
async function withoutTypes(file: string, source: string): Promise<string> {
  if (!file.endsWith('.tsx')) return stripTypeScriptTypes(source);
  const { transform } = await import('rolldown/utils');
  const { code } = await transform(file, source, { jsx: { runtime: 'classic' } });
  return code;
}

const asJavaScript = (file: string) => file.replace(/\.tsx?$/, '.js');
const asTypeScript = (file: string) => (file.includes('node_modules') ? file : file.replace(/\.js$/, '.ts'));

if (import.meta.main) {
  const violations = [...(await layerViolations('.')), ...ledgerTablesNamed('.')];
  console.log(violations.length === 0 ? 'every import is allowed' : violations.join('\n'));
  process.exit(violations.length === 0 ? 0 : 1);
}
