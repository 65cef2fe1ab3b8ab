import { equal, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { arrive, card, givePassword, isIn, OUTCOME, said, send, signOut } from './kit.ts';
import type { Place, Steps } from './steps.ts';

export const protectionSteps: Steps = {
  'limits: what is set holds at once, what is left stands beside the stake, and a bet beyond it is refused in words':
    limits,
  'self-exclusion in two steps ends play in every tab and on every device, and lets money leave': exclusion,
  'a reality check stops play until it is answered': realityCheck,
};

/** Maximum time after a self-exclusion during which a game may still be visible. */
const AT_ONCE_MS = 1000;
const MINUTE_MS = 60_000;

async function limits(page: Page, { platform: { api } }: Place): Promise<void> {
  await arrive(page, api);
  await page.goto(`${api}/play/protection`);
  await setLimit(page, '10');
  await said(page, 'The limit holds from now on');
  const row = card(page, 'Limits').locator('tbody tr').filter({ hasText: 'Stakes per day' });
  await row.filter({ hasText: '10 USD' }).waitFor();
  await setLimit(page, '5');
  await row.filter({ hasText: '5 USD' }).waitFor();
  await setLimit(page, '100');
  await said(page, 'The change waits for a day');
  await row.getByText('Asked for: 100 USD').waitFor();
  await row.getByRole('button', { name: 'Keep the present limit' }).click();
  await said(page, 'The present limit stays');

  await page.goto(`${api}/play/games/dice`);
  const left = page.getByText('Left of the limit of stakes for the day: 5 USD');
  await left.waitFor();
  await page.getByLabel('Stake').fill('6');
  await press(page);
  await page.getByRole('alert').filter({ hasText: 'limit' }).waitFor();
  equal((await betsOf(page, api)).length, 0);
  await page.getByLabel('Stake').fill('4');
  await press(page);
  await said(page, OUTCOME);
  await page.getByText('Left of the limit of stakes for the day: 1 USD').waitFor({ timeout: 40_000 });
}

async function setLimit(page: Page, amount: string): Promise<void> {
  const form = card(page, 'Limits');
  await form.getByLabel('Limit on').selectOption('WAGER');
  await form.getByLabel('US dollars').fill(amount);
  await form.getByRole('button', { name: 'Set the limit' }).click();
}

async function exclusion(page: Page, { browser, platform: { api } }: Place): Promise<void> {
  const account = await arrive(page, api);
  const other = await page.context().newPage();
  const device = await browser.newContext();
  try {
    const elsewhere = await device.newPage();
    await givePassword(elsewhere, api, account);
    await isIn(elsewhere, account.username);
    for (const game of [other, elsewhere]) {
      await game.goto(`${api}/play/games/dice`);
      await game.getByText('● live').waitFor();
      await game.getByRole('button', { name: 'Bet', exact: true }).waitFor();
    }
    await page.goto(`${api}/play/protection`);
    await page.getByRole('button', { name: '6 months' }).click();
    const question = page.getByRole('dialog');
    await question.getByLabel('I understand this and want it').check();
    const closed = [other, elsewhere].map((game) => ended(game).then(() => Date.now()));
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      question.getByRole('button', { name: 'Stop play for 6 months' }).click(),
    ]);
    equal(answer.status(), 201);
    const began = Date.now();
    equal(await codeOfBet(other), 'SELF_EXCLUDED');
    for (const at of await Promise.all(closed))
      ok(at - began < AT_ONCE_MS, `play was seen for ${at - began} ms`);
    await page.getByRole('heading', { name: 'You are excluded from play' }).waitFor();
  } finally {
    await device.close();
    await other.close();
  }
  await page.goto(`${api}/play/wallet/deposit`);
  await ended(page);
  await page.getByRole('link', { name: 'Withdraw' }).click();
  await page.getByRole('button', { name: 'See the fee' }).waitFor();
  await signOut(page);
  await givePassword(page, api, account);
  await isIn(page, account.username);
  await page.goto(`${api}/play/games`);
  await ended(page);
}

const ended = (page: Page) => page.getByRole('heading', { name: 'Play has ended' }).waitFor();

/** Places a bet directly through the API with the page's session. */
const codeOfBet = (page: Page) =>
  page.evaluate(async () => {
    const answer = await fetch('/casino/games/house/dice/bet', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({ currencyId: 'USDT', betAmount: '1', threshold: 50, above: true }),
    });
    return ((await answer.json()) as { code: string }).code;
  });

/** One hour passes, but only on the browser's clock. */
async function realityCheck(page: Page, { platform: { api } }: Place): Promise<void> {
  await arrive(page, api);
  await page.clock.install();
  await page.goto(`${api}/play/protection`);
  await page.getByLabel('15 min').check();
  await page.goto(`${api}/play/games/dice`);
  await page.getByText('USD since you came').waitFor();
  await page.getByRole('button', { name: 'Bet', exact: true }).waitFor();
  await page.clock.fastForward(15 * MINUTE_MS);
  const question = page.getByRole('dialog').filter({ hasText: 'A moment to look' });
  await question.getByText('You have been here for 15 minutes').waitFor();
  // While the reality check is open, even a click by a script on the button places no bet.
  await page.locator('.play').evaluate((button) => (button as any).click());
  await question.getByRole('button', { name: 'Go on playing' }).click();
  await question.waitFor({ state: 'hidden' });
  equal((await betsOf(page, api)).length, 0);
  await press(page);
  await said(page, OUTCOME);
  equal((await betsOf(page, api)).length, 1);
}

const press = (page: Page) => page.getByRole('button', { name: 'Bet', exact: true }).click();

const betsOf = async (page: Page, api: string): Promise<unknown[]> =>
  (await send(page, 'GET', `${api}/bets`)).data;
