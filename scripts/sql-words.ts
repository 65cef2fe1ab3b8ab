/** What can be known of SQL without a parser: its statements, the actions of one, its words without texts and comments. */

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|[eE]?'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\s\w]|\w+|\s+/g;

/** Statements of a text, without their comments; texts and bodies of functions stay whole. */
export function statementsOf(text: string): string[] {
  return split(text, ';', () => 0);
}

/** The actions of an `alter table`: what stands between its commas. */
export function actionsOf(statement: string): string[] {
  const actions = statement.replace(/^\s*alter\s+table\s+(if\s+exists\s+)?(only\s+)?[\w."]+\s+/i, '');
  return split(actions, ',', (token) => Number(token === '(') - Number(token === ')'));
}

/** Lower case, one blank between words, without texts and bodies. */
export function wordsOf(statement: string): string {
  return statement
    .replace(/(\$\w*\$)[\s\S]*?\1|'(?:[^']|'')*'/g, "''")
    .replace(/"/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

export const isWord = (words: string, first: string): boolean => words.split(' ', 1)[0] === first;

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
