import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { alert, dialog, notice } from '../parts.ts';
import { callAs, newName, newPlayer } from '../users.ts';

const chat = (page: Page) => {
  const text = page.getByLabel('Write a message');
  const messages = page.getByRole('list', { name: 'Messages' });
  return {
    text,
    messages,
    message: (words: string) => messages.getByRole('listitem').filter({ hasText: words }),
    async write(words: string) {
      await text.fill(words);
      await page.getByRole('button', { name: 'Send message', exact: true }).click();
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
  for (const one of [page, other]) await one.goto('/play/chat');

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
  await expect(notice(page, 'You’re muted until')).toBeVisible();
  await expect(here.text).toBeDisabled();
  await moderate('UNMUTE_USER', { userId: id });
  await expect(here.text).toBeEnabled();

  await moderate('SET_SLOW_MODE', { roomId: 'general', seconds: 60 });
  await expect(notice(other, 'Slow mode: one message every 60 seconds')).toBeVisible();
  // Within two seconds of the last message, another limit rejects the message first. The test therefore sends the message again.
  await expect(async () => {
    await here.write(newName('again'));
    await expect(alert(page, /Slow mode is on.* Try again in/)).toBeVisible({ timeout: 1000 });
  }).toPass();
  await moderate('SET_SLOW_MODE', { roomId: 'general', seconds: 0 });

  await other.reload();
  await expect(there.message(reply)).toBeVisible();
  await moderate('CLEAR_ROOM', { roomId: 'general' });
  await expect(other.getByText('No messages yet')).toBeVisible();
});

test('counts unread messages, and sends a tip to a player whose name is pressed', async ({
  page,
  openPage,
  platform,
}) => {
  const other = await openPage();
  await newPlayer(platform, { page });
  const { username } = await newPlayer(platform, { page: other });
  await page.goto('/play/offers');
  const open = page.getByRole('button', { name: /^Chat/ });
  await open.click();
  await expect(chat(page).text).toBeVisible();
  await page.getByRole('button', { name: 'Close chat' }).first().click();
  await other.goto('/play/chat');
  const words = newName('news');
  await chat(other).write(words);
  await expect(page.getByRole('button', { name: 'Chat, 1 new message' })).toBeVisible({ timeout: 60_000 });
  await open.click();
  await expect(chat(page).messages.getByText('Today')).toBeVisible();
  await chat(page).message(words).getByRole('button', { name: username }).click();
  await dialog(page).getByRole('button', { name: 'Send tip' }).click();
  await dialog(page).getByLabel('Amount', { exact: true }).fill('2');
  await dialog(page).getByRole('button', { name: 'Send tip' }).click();
  await dialog(page).last().getByRole('button', { name: 'Send tip' }).click();
  await expect(notice(page, 'Tip sent')).toBeVisible();
  await expect(chat(other).message('tipped').getByText('2.00 USDT')).toBeVisible({ timeout: 60_000 });
});

test('offers the verification email in place of the field until the email address is verified', async ({
  page,
  platform,
}) => {
  await newPlayer(platform, { page, isVerified: false });
  await page.goto('/play/chat');
  await expect(page.getByText('Verify your email address to write here.')).toBeVisible();
  await expect(chat(page).text).toHaveCount(0);
  await page.getByRole('button', { name: 'Resend email', exact: true }).click();
  await expect(notice(page, 'Email sent')).toBeVisible();
});
