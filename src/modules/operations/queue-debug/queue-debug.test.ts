import { describe, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { addJob } from '../../../platform/queue/queue.ts';

const app = fixture(startApp);

const post = (path: string, body: object) => app.call('POST', path, { body });

describe('queue debug', () => {
  test('returns the response, or reports a rejection, a timeout or a missing responder', async () => {
    const data = { deep: { text: 'ü€' } };
    const echoed = await post('/send-message', { pattern: 'debug.echo', data });
    expect([echoed.status, echoed.body]).toEqual([201, { success: true, response: data }]);
    const { broker } = app.services;
    await broker.respond('test.plain', async () => 'text');
    await broker.respond('test.refuse', async () => {
      throw commonErrors.NOT_FOUND({ what: 'it' });
    });
    await broker.respond('test.slow', () => new Promise(() => undefined));
    expect((await post('/send-message', { pattern: 'test.plain' })).body).toEqual({
      success: true,
      response: { value: 'text' },
    });
    expect((await post('/send-message', { pattern: 'test.refuse' })).body).toMatchObject({
      success: false,
      response: { code: 'NOT_FOUND', details: { what: 'it' } },
    });
    const late = await post('/send-message', { pattern: 'test.slow', timeoutMs: 100 });
    expect([late.status, late.body.code]).toEqual([504, 'BROKER_TIMEOUT']);
    const nobody = await post('/send-message', { pattern: 'test.nobody' });
    expect([nobody.status, nobody.body.code]).toEqual([404, 'RESPONDER_NOT_FOUND']);
  });

  test('counts, lists and purges emitted events in the default queue', async () => {
    const { status, body } = await post('/emit-event', { pattern: 'any.thing', data: { n: 1 } });
    expect([status, body]).toEqual([201, { success: true, eventId: expect.any(String) }]);
    await post('/emit-event', { pattern: 'any.thing', data: { n: 2 } });
    const queue = { queueName: 'debug.default', messageCount: 2, consumerCount: 0 };
    expect((await app.call('GET', '/')).body).toEqual(queue);
    expect((await app.call('GET', '/?queueName=debug.default')).body).toEqual(queue);
    const seen = await app.call('GET', '/messages');
    expect(seen.body).toEqual([
      {
        id: body.eventId,
        content: { n: 1 },
        headers: {},
        redelivered: false,
        enqueuedAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ content: { n: 2 } }),
    ]);
    expect((await app.call('GET', '/messages?count=1')).body).toHaveLength(1);
    expect((await app.call('GET', '/')).body.messageCount).toBe(2);
    expect((await app.call('DELETE', '/')).body).toEqual({ queueName: 'debug.default', purgedCount: 2 });
    expect((await app.call('GET', '/messages')).body).toEqual([]);
  });

  test('keeps the newest 1,000 emitted events', async () => {
    await transaction(app.db, async (tx) => {
      for (let n = 0; n < 1000; n++)
        await addJob(tx, 'debug.default', { n }, { runAt: new Date('9999-01-01') });
    });
    await post('/emit-event', { pattern: 'any.thing', data: { n: 1000 } });
    expect((await app.call('GET', '/')).body.messageCount).toBe(1000);
    expect((await app.call('GET', '/messages?count=1')).body).toMatchObject([{ content: { n: 1 } }]);
    expect((await app.call('DELETE', '/')).body.purgedCount).toBe(1000);
  });

  test('rejects unknown queues, and does not empty queues without the debug prefix', async () => {
    for (const queueName of ['nobody', 'debug.nobody', 'a b', 'x'.repeat(200)]) {
      const query = `?queueName=${encodeURIComponent(queueName)}`;
      for (const [method, path] of [
        ['GET', '/'],
        ['DELETE', '/'],
        ['GET', '/messages'],
      ] as const) {
        const { status, body } = await app.call(method, path + query);
        expect([status, body.code], `${method} ${path}`).toEqual([404, 'QUEUE_NOT_FOUND']);
      }
    }
    await transaction(app.db, (tx) => addJob(tx, 'payments.kept', {}));
    const rejected = await app.call('DELETE', '/?queueName=payments.kept');
    expect([rejected.status, rejected.body.code]).toEqual([403, 'QUEUE_NOT_DEBUG']);
    expect((await app.call('GET', '/?queueName=payments.kept')).body.messageCount).toBe(1);
  });

  test('rejects malformed patterns, timeouts and counts with 400', async () => {
    for (const body of [
      {},
      { pattern: '' },
      { pattern: 'a..b' },
      { pattern: '#' },
      { pattern: 'a', more: 1 },
    ]) {
      expect((await post('/send-message', body)).status).toBe(400);
      expect((await post('/emit-event', body)).status).toBe(400);
    }
    expect((await post('/send-message', { pattern: 'a', timeoutMs: 8001 })).status).toBe(400);
    expect((await app.call('GET', '/messages?count=0')).status).toBe(400);
    expect((await app.call('GET', '/messages?count=101')).status).toBe(400);
  });
});

describe('debug gateway', () => {
  const message = { event: 'anything.goes', data: { a: [1] }, room: 'user:7', userId: 7 };

  test('sends an emitted event to every realtime process, and sends a request to only one responder', async () => {
    const received: unknown[] = [];
    const { broker } = app.services;
    await broker.listen('gateway.emit', async (data) => void received.push(data));
    const emitted = await post('/debug/gateway/emit', message);
    expect([emitted.status, emitted.text]).toEqual([201, '']);
    await expect.poll(() => received).toEqual([message]);

    const nobody = await post('/debug/gateway/send', message);
    expect([nobody.status, nobody.body.code]).toEqual([503, 'BROKER_NO_RESPONDER']);
    await broker.respond('gateway.send', async (received) => {
      expect(received).toEqual(message);
      return { delivered: 2, acknowledged: 1, inside: 'is not returned' };
    });
    const sent = await post('/debug/gateway/send', message);
    expect([sent.status, sent.body]).toEqual([201, { delivered: 2, acknowledged: 1 }]);
  });

  test.each([
    {},
    { event: '' },
    { event: 'a b' },
    { event: 'a', room: 'user:0' },
    { event: 'a', room: 'game:dice' },
    { event: 'a', userId: 0 },
    { event: 'a', data: [] },
    { event: 'a', to: 1 },
  ])('rejects %j with 400', async (body) => {
    for (const path of ['/debug/gateway/emit', '/debug/gateway/send'])
      expect((await post(path, body)).status).toBe(400);
  });
});
