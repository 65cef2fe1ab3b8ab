import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('lists every module in docs/explanation/architecture.md, under its area', () => {
  const page = readFileSync('docs/explanation/architecture.md', 'utf8');
  const map = /<!-- modules -->\n```\n([\s\S]*?)```\n/.exec(page)![1]!;
  let area = '';
  const named = map.split('\n').flatMap((line) => {
    area = /^([a-z]+)\/$/.exec(line)?.[1] ?? area;
    const module = /^ {2}([a-z-]+) {2,}\S/.exec(line)?.[1];
    return module ? [`${area}/${module}`] : [];
  });
  const folders = globSync('src/modules/*/*/').map((folder) => folder.replace('src/modules/', ''));
  expect(named.sort()).toEqual(folders.sort());
});
