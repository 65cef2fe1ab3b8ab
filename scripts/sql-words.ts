/**
 * Splits SQL without a full parser: a script into statements, a statement into actions, and a statement into words without literals and
 * comments.
 */

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|[eE]?'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\s\w]|\w+|\s+/g;

/** Returns the statements of an SQL script without comments. Literals and function bodies are not split. */
export function statementsOf(text: string): string[] {
  return split(text, ';', () => 0);
}

/** Returns the actions of an `alter table`, which are separated by commas. */
export function actionsOf(statement: string): string[] {
  const actions = statement.replace(/^\s*alter\s+table\s+(if\s+exists\s+)?(only\s+)?[\w."]+\s+/i, '');
  return split(actions, ',', (token) => Number(token === '(') - Number(token === ')'));
}

/** Returns the statement in lower case with single blanks between words, without literals and function bodies. */
export function wordsOf(statement: string): string {
  return statement
    .replace(/(\$\w*\$)[\s\S]*?\1|'(?:[^']|'')*'/g, "''")
    .replace(/"/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function split(text: string, by: string, deeper: (token: string) => number): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith('--') || token.startsWith('/*')) continue;
    depth += deeper(token);
    if (token === by && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}
