/** The way of a new player from the sign-up to a withdrawal, without a pointer. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { dialog, tabTo } from '../parts.ts';
import { type Platform, tellSandbox } from '../platform.ts';
import { type Account, callFrom, newAccount } from '../users.ts';
import { BY_KEYBOARD, gamePage, playOnce, pressAndWait } from './game.ts';
import { expectBooks, header, type Owner } from './lobby.ts';

const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
/** Without an event, the wallet reads the state of payments every half minute. */
const LIVE = { timeout: 60_000 };
/** Nine bets of this amount wager the deposit. */
const [STAKE, DEPOSIT, GIFT] = ['3', '20', '100'];

async function press(target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

async function fill(field: Locator, text: string): Promise<void> {
  const { keyboard } = field.page();
  await tabTo(field);
  await keyboard.press('Control+a');
  await keyboard.type(text);
  await expect(field).toHaveValue(text);
}

/** Selects one of several buttons with the arrow keys. If none is selected, the space bar selects the focused one. */
async function choose(group: Locator, name: string): Promise<void> {
  const option = group.getByRole('radio', { name: new RegExp(`^${name}( |$)`) });
  await press(group.getByRole('radio'), 'Space');
  for (let presses = 0; !(await option.isChecked()); presses++) {
    expect(presses, `arrow keys reach ${name}`).toBeLessThan(30);
    await group.page().keyboard.press('ArrowRight');
  }
}

/** Selects an option of a list that a button opens. */
async function pick(button: Locator, name: RegExp): Promise<void> {
  const page = button.page();
  await press(button);
  const option = page.getByRole('option', { name });
  await expect(option).toBeVisible();
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(option).toHaveAttribute('data-active-item', { timeout: 300 });
  }).toPass({ intervals: [100] });
  await page.keyboard.press('Enter');
  await expect(option).toBeHidden();
}

async function signUp(page: Page, { username, email, password }: Account): Promise<void> {
  await press(header(page).signUp);
  const form = dialog(page);
  await fill(form.getByLabel('Email', { exact: true }), email);
  await fill(form.getByLabel('Username'), username);
  await fill(form.getByLabel('Password', { exact: true }), password);
  await press(form.getByLabel(/^I am 18 or older/), 'Space');
  await press(form.getByRole('button', { name: 'Create account' }));
  await expect(header(page).user(username)).toBeVisible();
}

async function openWallet(page: Page): Promise<Locator> {
  await press(page.getByRole('banner').getByRole('link', { name: 'Wallet' }));
  const wallet = dialog(page);
  await expect(wallet.getByRole('navigation')).toBeVisible();
  return wallet;
}

/** The sandbox sends the coins to the address on the page. */
async function deposit(page: Page, platform: Platform): Promise<void> {
  const wallet = await openWallet(page);
  await choose(wallet.getByRole('group', { name: 'Currency' }), 'USDT');
  await choose(wallet.getByRole('group', { name: 'Network' }), 'TRON');
  const address = (await wallet.locator('.address code').first().innerText()).trim();
  const coins = { address, currencyId: 'USDT', networkId: 'tron', amount: DEPOSIT };
  await tellSandbox(platform, '/payments/coins', coins);
  await expect(wallet.locator('.movement').first()).toContainText('Completed', LIVE);
  await page.keyboard.press('Escape');
  await expect(wallet).toBeHidden();
}

/** `/` opens the search, which lists the house games until something is typed. */
async function openFromSearch(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  await press(dialog(page).getByRole('link', { name: new RegExp(`^${name} RTP`) }));
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
}

const NAMES: Readonly<Record<string, string>> = {
  limbo: 'Limbo',
  plinko: 'Plinko',
  keno: 'Keno',
  roulette: 'Roulette',
  mines: 'Mines',
  'monkey-run': 'Monkey Run',
  blackjack: 'Blackjack',
  dice: 'Dice',
};

async function playAll(page: Page, player: Owner): Promise<void> {
  expect(new Set(Object.keys(NAMES))).toEqual(new Set(Object.keys(BY_KEYBOARD)));
  await playSpeedRoulette(page, player);
  for (const [game, name] of Object.entries(NAMES)) {
    await openFromSearch(page, name);
    // The bet on roulette is the sum of its chips.
    if (game !== 'roulette') await fill(gamePage(page).stake, STAKE);
    await playOnce(page, game, player);
  }
  expect(await expectBooks(page, player)).toHaveLength(9);
}

/** Bets of all players belong to one round. A bet that is too late is placed in the next one. */
async function playSpeedRoulette(page: Page, player: Owner): Promise<void> {
  await openFromSearch(page, 'Speed Roulette');
  const { stake, play, outcome } = gamePage(page);
  await fill(stake, STAKE);
  await choose(page.getByRole('group', { name: 'Colour' }), 'Black');
  await expect(async () => {
    await expect(play).toBeEnabled();
    await tabTo(play);
    await pressAndWait(page, 'Enter');
    await expect(outcome).toHaveText('$3.00 on black', { timeout: 1000 });
  }).toPass();
  await expect(outcome).toHaveText(/No win|You won/, LIVE);
  expect(await expectBooks(page, player)).toHaveLength(1);
}

/** Reveals the seed of the last bet. The independent verifier then computes its result. */
async function verifyLastBet(page: Page): Promise<void> {
  const { proof } = gamePage(page);
  await press(proof.open);
  await press(proof.seeds);
  await press(proof.reveal);
  await expect(proof.revealed).toBeVisible();
  await choose(dialog(page).getByRole('group', { name: 'Provably fair' }), 'Last bet');
  await expect(proof.verdict).toBeVisible();
  const opened = page.waitForEvent('popup');
  await press(proof.check);
  const verifier = await opened;
  await expect(verifier.locator('#verdict')).toHaveAttribute('data-result', 'VERIFIED');
  await verifier.close();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
}

async function withdraw(page: Page): Promise<void> {
  const wallet = await openWallet(page);
  await press(wallet.getByRole('link', { name: 'Withdraw' }));
  await pick(wallet.getByRole('button', { name: /^Network / }), /^TRON/);
  await fill(wallet.getByLabel('Address', { exact: true }), ADDRESS);
  await fill(wallet.getByLabel('Amount'), '40');
  await press(wallet.getByRole('button', { name: 'Review withdrawal' }));
  await press(wallet.getByRole('button', { name: 'Withdraw 40.00 USDT' }));
  await expect(wallet.getByRole('status')).toContainText('Withdrawal requested');
}

test('leads from the sign-up through a bet in each house game to a withdrawal by keyboard alone', async ({
  page,
  platform,
}) => {
  const call = callFrom(page, platform.api);
  await page.goto('/play/');
  await signUp(page, newAccount());
  await deposit(page, platform);
  // Nine lost bets leave enough to withdraw.
  await call('GET', `/debug/me/give-money?amount=${GIFT}`);
  await playAll(page, { call, money: String(Number(DEPOSIT) + Number(GIFT)) });
  await verifyLastBet(page);
  const eligibility = () => call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
  await expect.poll(eligibility, LIVE).toMatchObject({ canWithdraw: true });
  await withdraw(page);
  const { data } = await call('GET', '/payments/withdraw');
  expect(data).toMatchObject([{ amount: '40', recipientAddress: ADDRESS }]);
});
