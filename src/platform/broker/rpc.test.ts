import { expect, test } from 'vitest';
import { silentLog } from '../observability/log.ts';
import type { Letter, Transport } from './broker.ts';
import { createRpc } from './rpc.ts';

test('fails only the request that could not open the reply queue, and opens the queue for the next request', async () => {
  let isAway = true;
  let reply: (letter: Letter) => Promise<void> = async () => undefined;
  const transport: Transport = {
    async receive(_queue, _concurrency, handle) {
      if (isAway) throw new Error('the broker is away');
      reply = handle;
    },
    async sendTo(_queue, letter) {
      void reply({ ...letter, data: { ok: true, value: 'pong' } });
      return true;
    },
  };
  const { request } = createRpc(transport, silentLog);
  await expect(request('test.ping', {})).rejects.toThrow('the broker is away');
  isAway = false;
  expect(await request('test.ping', {})).toBe('pong');
});
