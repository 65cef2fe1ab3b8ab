import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { until } from '../../../../test/kit/until.ts';
import type { Broker, NewMessage } from '../../../platform/broker/broker.ts';
import { transaction } from '../../../platform/database/db.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { createRelay } from './service.ts';

const app = fixture(startApp);

test('publishes only events that are emitted after RabbitMQ was configured', async () => {
  const published: NewMessage[] = [];
  const publishAll = async (messages: readonly NewMessage[]) => void published.push(...messages);
  const relay = createRelay({ db: app.db, broker: { publishAll } as unknown as Broker, log: silentLog });
  const emit = async () => {
    const data = { kind: 'RATE_JUMP', id: 'BTC' } as const;
    const [id] = await transaction(app.db, (tx) => emitEvent(tx, { event: baseEvents['admin.alert'], data }));
    return id!;
  };
  const before = await emit();
  await relay.turnOff();
  // A relay of version 0.1.0 publishes all events after the cursor.
  const { rows } = await app.sql`
    select from events where id > (select position from cursors where name = 'events-relay')`.execute(app.db);
  expect(rows).toEqual([]);
  expect(await relay.lag()).toBe(0);
  expect(await relay.hasNews()).toBe(true);
  await relay.turn();
  expect(await relay.hasNews()).toBe(false);
  const after = await emit();
  await until(async () => {
    await relay.turn();
    return published.length > 0;
  });
  expect(published.map(({ id }) => id)).toEqual([String(after)]);
  expect(after).toBeGreaterThan(before);
});
