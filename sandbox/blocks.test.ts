import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocks } from './blocks.ts';
import { type Sandbox, startSandbox } from './server.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
});
afterAll(() => sandbox.close());

const get = async (path: string) => {
  const answer = await fetch(`${sandbox.env.PUBLIC_CHAIN_URL}${path}`);
  return [answer.status, await answer.text()] as const;
};
const post = async (path: string, body: object) => {
  const answer = await fetch(`${sandbox.url}/chain${path}`, { method: 'POST', body: JSON.stringify(body) });
  return answer.status;
};
const tip = async () => Number((await get('/blocks/tip/height'))[1]);

test('gives each block a hash that never changes once the block is found', async () => {
  const height = await tip();
  const [status, hash] = await get(`/block-height/${height}`);
  expect([status, hash]).toEqual([200, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(await get(`/block-height/${height}`)).toEqual([200, hash]);
  expect((await get(`/block-height/${height - 1}`))[1]).not.toBe(hash);
  expect((await get(`/block-height/${height + 500}`))[0]).toBe(404);
  for (const no of ['-1', '1.5', 'x', '9'.repeat(13)])
    expect((await get(`/block-height/${no}`))[0]).toBe(404);
});

test('adds blocks immediately on POST /chain/blocks', async () => {
  const height = await tip();
  expect((await get(`/block-height/${height + 900}`))[0]).toBe(404);
  expect(await post('/blocks', { count: 900 })).toBe(200);
  expect(await tip()).toBeGreaterThanOrEqual(height + 900);
  expect((await get(`/block-height/${height + 900}`))[0]).toBe(200);
  for (const count of [0, 1.5, '3', 1001]) expect(await post('/blocks', { count })).toBe(400);
});

test('increases the block height by one every second, as determined by the clock alone', () => {
  const heightAt = (ms: number) => {
    const [tipHeight] = blocks({ url: '', now: () => ms }).endpoints;
    const answer = tipHeight!.handle({
      url: '',
      headers: {},
      query: new URLSearchParams(),
      params: {},
      body: '',
    });
    return Number((answer as { body: string }).body);
  };
  const noon = Date.UTC(2026, 10, 21, 12);
  expect(heightAt(noon + 1000)).toBe(heightAt(noon) + 1);
  expect(heightAt(noon + 999)).toBe(heightAt(noon));
});

test('drops connections or returns garbage when configured to', async () => {
  expect(await post('/behaviour', { mode: 'garbage' })).toBe(200);
  expect(await get('/blocks/tip/height')).toEqual([200, '<html>Just a moment…']);
  await post('/behaviour', { mode: 'down' });
  await expect(get('/blocks/tip/height')).rejects.toThrow();
  await post('/behaviour', { mode: 'ok' });
  expect((await get('/blocks/tip/height'))[0]).toBe(200);
  expect(await post('/behaviour', { mode: 'sleepy' })).toBe(400);
});

test('lists the public chain on the index page', async () => {
  expect(await (await fetch(sandbox.url)).text()).toContain('Public chain');
});
