import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { alert, notice } from '../parts.ts';
import { callAs, newName, newPlayer } from '../users.ts';
import { openLive } from './lobby.ts';

const chat = (page: Page) => {
  const text = page.getByLabel('Message, 200');
  const messages = page.getByRole('list', { name: 'Messages' });
  return {
    text,
    messages,
    message: (words: string) => messages.getByRole('listitem').filter({ hasText: words }),
    async write(words: string) {
      await text.fill(words);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    },
  };
};

test('delivers messages between two players, also after a lost connection, and applies moderation', async ({
  page,
  openPage,
  platform,
  superadmin,
}) => {
  const staff = await callAs(platform, superadmin);
  const moderate = (action: string, args: object) =>
    staff('POST', '/admin/chat/admin-action', { action, args });
  const other = await openPage();
  const [here, there] = [chat(page), chat(other)];
  const { id } = await newPlayer(platform, { page });
  await newPlayer(platform, { page: other });
  for (const one of [page, other]) await openLive(one, '/chat');

  const hello = `${newName('hello')} <img src=x onerror=alert(1)>`;
  await here.write(hello);
  await expect(there.message(hello)).toBeVisible();
  await expect(there.messages.locator('img')).toHaveCount(0);
  const reply = newName('reply');
  await there.write(reply);
  await expect(here.message(reply)).toBeVisible();

  await other.context().setOffline(true);
  const missed = newName('missed');
  await expect(async () => {
    await here.write(missed);
    await expect(here.message(missed)).toBeVisible({ timeout: 1000 });
  }).toPass();
  await other.context().setOffline(false);
  await expect(there.message(missed)).toBeVisible({ timeout: 60_000 });

  await moderate('MUTE_USER', { userId: id, seconds: 3600 });
  await expect(notice(page, 'Staff has muted you until')).toBeVisible();
  await expect(here.text).toBeDisabled();
  await moderate('UNMUTE_USER', { userId: id });
  await expect(here.text).toBeEnabled();

  await moderate('SET_SLOW_MODE', { roomId: 'general', seconds: 60 });
  await expect(notice(other, 'Slow mode: one message in 60 s')).toBeVisible();
  // Within two seconds of the last message, another limit rejects the message first. The test therefore sends the message again.
  await expect(async () => {
    await here.write(newName('again'));
    await expect(alert(page, 'Slow mode is on in this room. Wait')).toBeVisible({ timeout: 1000 });
  }).toPass();
  await moderate('SET_SLOW_MODE', { roomId: 'general', seconds: 0 });

  await other.reload();
  await expect(there.message(reply)).toBeVisible();
  await moderate('CLEAR_ROOM', { roomId: 'general' });
  await expect(other.getByText('Nobody has written yet')).toBeVisible();
});
