import { expect, test } from 'vitest';
import { areaOf, createAll, defineModule, gather } from './module.ts';

const closed: string[] = [];

const first = defineModule({
  name: 'first',
  create: ({ base }: { base: number }) => ({ one: base + 1 }),
  jobs: ({ one }: { one: number }) => [{ name: `first.${one}`, everyMs: 1000, run: async () => undefined }],
  close: async () => closed.push('first'),
});
const second = defineModule({
  name: 'second',
  create: ({ one }: { one: number }) => ({ two: one + 1 }),
  close: async () => closed.push('second'),
});
const modules = [first, second] as const;

test('creates the services of modules in order, and passes each module the services created before it', () => {
  expect(createAll(modules, { base: 1 })).toEqual({ one: 2, two: 3 });
});

test('returns only the services that the modules create', () => {
  expect(createAll([second], { one: 5 })).toEqual({ two: 6 });
});

test('collects the jobs and consumers of all modules, and closes the modules in reverse order', async () => {
  const area = areaOf<{ base: number; one: number; two: number }>(modules);
  const services = { base: 1, one: 2, two: 3 };
  expect(area.jobs(services).map(({ name }) => name)).toEqual(['first.2']);
  expect(area.consumers(services)).toEqual([]);
  await area.close(services);
  expect(closed).toEqual(['second', 'first']);
});

test('combines the declarations of modules, and rejects a name that two modules declare', () => {
  const [bets, notes] = [
    { tags: { Bets: 'Bets.' } },
    { tags: { Notes: 'Notes.' }, checks: { N8: { sum: 'select 1' } } },
  ];
  expect(gather([bets, notes, {}])).toEqual({
    tags: { Bets: 'Bets.', Notes: 'Notes.' },
    events: {},
    messages: {},
    checks: { N8: { sum: 'select 1' } },
  });
  expect(() => gather([bets, notes, bets])).toThrow("tags: two modules declare 'Bets'");
  expect(() => gather([notes, { checks: notes.checks }])).toThrow("N8: two modules declare 'sum'");
});
