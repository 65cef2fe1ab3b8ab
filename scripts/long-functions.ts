import { globSync, readFileSync } from 'node:fs';
import { type Node, parseSync } from 'oxc-parser';

const LONGEST = 60;

/** Functions that may be longer than the limit, as `file name`, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

type Found = { file: string; name: string; line: number; lines: number };

/**
 * Returns the functions of src and sandbox that are longer than 60 lines, and exceptions that are no longer needed. An array of routes that
 * a function returns is data, so its lines are not counted.
 */
export function longFunctions(exceptions = EXCEPTIONS): string[] {
  const files = globSync('{src,sandbox}/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const long = files.flatMap((file) => longIn(file, readFileSync(file, 'utf8')));
  const keys = new Set(long.map(keyOf));
  return [
    ...long
      .filter((found) => !Object.hasOwn(exceptions, keyOf(found)))
      .map(
        ({ file, name, line, lines }) =>
          `${file}:${line} ${name} has ${lines} lines: split it into functions that each have one purpose`,
      ),
    ...Object.keys(exceptions)
      .filter((key) => !keys.has(key))
      .map((key) => `${key} is short enough now: remove it from the list`),
  ];
}

const keyOf = ({ file, name }: Found) => `${file} ${name}`;

function longIn(file: string, source: string): Found[] {
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const span = ({ start, end }: { start: number; end: number }) => lineAt(end) - lineAt(start) + 1;
  const found: Found[] = [];
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, name);
    if (!isNode(value)) return;
    const own = nameOf(value) ?? name;
    if (isFunction(value)) {
      const data = file.endsWith('routes.ts') ? returnedArray(value.body) : undefined;
      const lines = span(value) - (data ? span(data) : 0);
      if (lines > LONGEST) found.push({ file, name: own, line: lineAt(value.start), lines });
    }
    for (const child of Object.values(value)) visit(child, own);
  };
  visit(parseSync(file, source).program, '');
  return found;
}

type FunctionNode = Extract<
  Node,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && !Array.isArray(value);

const isFunction = (node: Node): node is FunctionNode =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);

/** Returns a function's name, or the name of the variable or property to which it is assigned. */
function nameOf(node: Node): string | undefined {
  if ('id' in node && node.id?.type === 'Identifier') return node.id.name;
  if (node.type === 'Property' && node.key.type === 'Identifier') return node.key.name;
  return undefined;
}

function returnedArray(body: FunctionNode['body']): Node | undefined {
  if (body?.type === 'ArrayExpression') return body;
  if (body?.type !== 'BlockStatement') return undefined;
  const last = body.body.at(-1);
  return last?.type === 'ReturnStatement' && last.argument?.type === 'ArrayExpression'
    ? last.argument
    : undefined;
}
