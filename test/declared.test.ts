/** Tests that undeclared names do not compile. Each case below causes a type error in `npm run check`. */
import { expect, test } from 'vitest';
import { route } from '../src/http/route.ts';
import { authEvents } from '../src/modules/accounts/auth/schemas.ts';
import { emitEvent } from '../src/modules/base/events/service.ts';
import { notify } from '../src/modules/base/notifications/notify.ts';
import { userEvents } from '../src/modules/base/users/schemas.ts';
import type { Posting } from '../src/modules/money/ledger/rules.ts';
import { paymentMessages } from '../src/modules/money/payments/messages.ts';
import type { Tx } from '../src/platform/database/db.ts';

test('rejects unknown permissions, events, payloads, messages, facts and posting kinds at compile time', () => {
  const about = { method: 'GET', path: '/x', tag: 'Test', summary: 'x', status: 200 } as const;
  // @ts-expect-error: this permission is not declared
  const unknownPermission = route({ ...about, access: { permission: 'user.fly' }, handler: () => undefined });
  // @ts-expect-error: this event is not declared
  const flew = userEvents['user.flew'];
  const unknownEvent = (tx: Tx) => emitEvent(tx, { event: flew, data: { isActive: true } });
  const revoked = authEvents['session.revoked'];
  // @ts-expect-error: the event carries something else
  const wrongPayload = (tx: Tx) => emitEvent(tx, { event: revoked, data: { sessionId: 7 } });
  // @ts-expect-error: this message is not declared
  const unknownMessage = (tx: Tx) => notify(tx, 1, paymentMessages['user.flew'], {});
  // @ts-expect-error: its text names the amount too
  const wrongFacts = (tx: Tx) => notify(tx, 1, paymentMessages['deposit.held'], { depositId: '7' });
  // @ts-expect-error: this kind is not declared
  const unknownKind: Posting['kind'] = 'gift';
  const events = [unknownEvent, wrongPayload];
  expect([unknownPermission, ...events, unknownMessage, wrongFacts, unknownKind]).toHaveLength(6);
});
