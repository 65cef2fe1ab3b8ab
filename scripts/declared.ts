/**
 * Collects the declarations of all modules (src/modules/<area>/<module>/declares.ts) in src/modules/base/declared.ts and the map in
 * docs/architecture.md.
 */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';

const { AREAS } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { AREAS: string[] };

const MODULES = 'src/modules';
const MAP = 'docs/architecture.md';
/** The kinds of declarations. The generated file uses their names in capitals. */
const SHARES = ['permissions', 'events', 'kinds', 'tags', 'checks', 'messages'] as const;
type Share = (typeof SHARES)[number];
type Declares = { about: string } & Partial<Record<Share, object>>;
type Module = { area: string; name: string; declares: Declares };

/**
 * Returns the generated files by name. Throws if a module has no declaration, an unknown kind of declaration, or a name that another module
 * also declares.
 */
export async function declaredPages(): Promise<Record<string, string>> {
  const modules = (await Promise.all(AREAS.map(modulesOf))).flat();
  return {
    [`${MODULES}/base/declared.ts`]: gathered(modules),
    [MAP]: withMap(readFileSync(MAP, 'utf8'), modules),
  };
}

function modulesOf(area: string): Promise<Module[]> {
  const names = [
    ...new Set(globSync(`${MODULES}/${area}/*/*.ts`).map((file) => dirname(file).split('/')[3]!)),
  ];
  return Promise.all(
    names.sort().map(async (name) => {
      const { declares } = await import(resolve(MODULES, area, name, 'declares.ts'));
      for (const key of Object.keys(declares))
        if (!['about', ...SHARES].includes(key))
          throw new Error(`${area}/${name}/declares.ts: there is no ${key} to declare`);
      return { area, name, declares };
    }),
  );
}

const INTRO =
  '/** The declarations of all modules (declares.ts). Written by `npm run docs`, never by hand. */\n';
/** Makes a route with an undeclared permission a compile error. */
const ROUTES = `
declare module '../../http/access.ts' {
  interface Permissions extends Record<keyof typeof PERMISSIONS, string> {}
}
`;

function gathered(modules: readonly Module[]): string {
  const path = ({ area, name }: Module) => (area === 'base' ? `./${name}` : `../${area}/${name}`);
  const imports = modules
    .filter(({ declares }) => SHARES.some((share) => declares[share]))
    .toSorted((a, b) => (path(a) < path(b) ? -1 : 1))
    .map((one) => `import { declares as ${variable(one)} } from '${path(one)}/declares.ts';\n`);
  const constants = SHARES.map((share) => {
    const declaring = modules.filter(({ declares }) => declares[share]);
    const names = declaring.flatMap(({ declares }) => Object.keys(declares[share]!));
    const twice = names.find((name, i) => names.indexOf(name) < i);
    if (twice !== undefined) throw new Error(`${share}: two modules declare '${twice}'`);
    return `\nexport const ${share.toUpperCase()} = {\n${declaring.map((one) => `  ...${variable(one)}.${share},\n`).join('')}};\n`;
  });
  return [INTRO, ...imports, ...constants, ROUTES].join('');
}

const variable = ({ area, name }: Module) =>
  `${area}-${name}`.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the page with the modules of each area and their descriptions between the two markers. */
function withMap(page: string, modules: readonly Module[]): string {
  const width = Math.max(...modules.map(({ name }) => name.length));
  const lines = AREAS.flatMap((area) => [
    `${area}/`,
    ...modules
      .filter((one) => one.area === area)
      .map(({ name, declares }) => `  ${name.padEnd(width)}  ${declares.about}`),
  ]);
  const marked = /(?<=<!-- modules: npm run docs -->\n)[\s\S]*?(?=<!-- \/modules -->)/;
  if (!marked.test(page)) throw new Error(`${MAP}: the marks around the modules are missing`);
  return page.replace(marked, () => ['```', ...lines, '```', ''].join('\n'));
}
