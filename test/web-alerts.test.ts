/** Tests that an alert for staff refreshes the console pages that show the affected data. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { baseEvents } from '../src/modules/base/events/schemas.ts';

/** Imported dynamically, because the web pages belong to a separate TypeScript project. */
const { FOLLOWS } = await import(new URL('../web/console/follows.ts', import.meta.url).href);
const kinds = baseEvents['admin.alert'].data.shape.kind.options;
const pages = globSync('web/console/pages/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));

test.each(kinds)('reloads a list on a console page when the alert %s arrives', (kind) => {
  const lists: string[] = FOLLOWS['admin.alert']({ kind, id: '1' });
  expect(lists.length).toBeGreaterThan(0);
  for (const list of lists)
    expect(
      pages.some((page) => page.includes(`'${list}'`)),
      list,
    ).toBe(true);
});
