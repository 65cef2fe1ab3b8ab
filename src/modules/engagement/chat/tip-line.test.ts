import { describe, expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import {
  act,
  type Chatter,
  done,
  enter,
  historyOf,
  newWriter,
  rest,
  startChatApi,
  startChatNode,
} from '../../../../test/kit/engagement/chat.ts';
import { tip } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const api = fixture(startChatApi);
const node = fixture(() => startChatNode(api));
const boss = fixture(() => api.as('superadmin'));

const give = async (sender: Player, recipient: Player, fields: object): Promise<string> => {
  await rest(api, sender);
  const { status, body, text } = await tip(sender, recipient, fields);
  expect(status, text).toBe(201);
  return body.id;
};
const linesOf = async ({ id }: Player) =>
  api.db
    .selectFrom('chat_messages')
    .select(['tip_id', 'text', 'room_id'])
    .where('user_id', '=', id)
    .execute();
const tipOf = (chatter: Chatter, sender: Player) =>
  chatter.until('chat.message', ({ data }) => data.tip !== null && data.user.id === sender.id);

test('announces a public tip with the names of both players and the message in the first room, and announces no private tip', async () => {
  const [sender, recipient] = [await newWriter(api, 20), await newWriter(api)];
  const chatter = await enter(node, await newWriter(api));
  await give(sender, recipient, { amount: '1.5', message: 'between us' });
  const id = await give(sender, recipient, { amount: '2.5', message: '<b>well</b> played', isPublic: true });
  const { data } = await tipOf(chatter, sender);
  expect(data).toMatchObject({
    roomId: 'general',
    user: { id: sender.id, username: sender.username },
    text: '<b>well</b> played',
    tip: {
      recipient: { id: recipient.id, username: recipient.username },
      currencyId: 'USDT',
      amount: '2.5',
      usdAmount: '2.5',
    },
  });
  expect(await linesOf(sender)).toEqual([
    { tip_id: Number(id), text: '<b>well</b> played', room_id: 'general' },
  ]);
  await chatter.ask('subscribe', { room: 'chat:general' });
  expect((await historyOf(chatter)).messages.at(-1)).toEqual(data);
  chatter.close();
});

test('shows a private sender and recipient as Incognito', async () => {
  const [sender, recipient] = [await newWriter(api, 20), await newWriter(api)];
  const chatter = await enter(node, await newWriter(api));
  const ids = [sender.id, recipient.id];
  await api.db.updateTable('users').set({ is_private: true }).where('id', 'in', ids).execute();
  await give(sender, recipient, { isPublic: true });
  const { data } = await chatter.until('chat.message', (frame) => frame.data.tip !== null);
  expect([data.user, data.tip.recipient]).toMatchObject([
    { id: null, username: 'Incognito' },
    { id: null, username: 'Incognito' },
  ]);
  chatter.close();
});

describe('chat rules for the announcement of a tip', () => {
  test.each([
    ['a message with a link', 'get more at bet.example'],
    ['no message', undefined],
  ])('announces a tip with %s, but without any text', async (_, message) => {
    const [sender, recipient] = [await newWriter(api, 20), await newWriter(api)];
    const id = await give(sender, recipient, { isPublic: true, ...(message && { message }) });
    expect(await linesOf(sender)).toEqual([{ tip_id: Number(id), text: '', room_id: 'general' }]);
    expect(await cashOf(recipient)).toBe('2');
  });

  test('does not announce the tip of a muted sender', async () => {
    const [sender, recipient] = [await newWriter(api, 20), await newWriter(api)];
    await done(act(boss, 'MUTE_USER', { userId: sender.id, seconds: 600 }));
    await give(sender, recipient, { isPublic: true, message: 'hello' });
    expect(await linesOf(sender)).toEqual([]);
    expect(await cashOf(recipient)).toBe('2');
  });

  test('does not announce a tip sent too soon after another message', async () => {
    const [sender, recipient] = [await newWriter(api, 20), await newWriter(api)];
    await give(sender, recipient, { isPublic: true, message: 'one' });
    expect((await tip(sender, recipient, { isPublic: true, message: 'two' })).status).toBe(201);
    expect((await linesOf(sender)).map(({ text }) => text)).toEqual(['one']);
    expect(await cashOf(recipient)).toBe('4');
  });
});
