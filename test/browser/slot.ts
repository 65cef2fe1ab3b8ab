import type { Page } from 'playwright-core';
import { formatUnits, parseUnits, units } from '../../src/platform/money.ts';
import type { AggregatorBooks } from '../kit/games/provider-books.ts';
import { type Call, insist, signIn } from './verify.ts';

const SPINS = 50;
const STAKE = '0.5';
/** A time that is longer than the animation of a spin on the page. */
const SHOWN_MS = 1500;

type Addresses = { api: string; sandbox: string };

/**
 * Plays with real money while every third response to the aggregator is lost. The page, the balance, the bets and the aggregator's books
 * must match.
 */
export async function playSlot(page: Page, { api, sandbox }: Addresses): Promise<void> {
  const complaints = listen(page);
  const call = await signIn(api);
  const opening = await cashOf(call);
  await open(page, call, { currencyId: 'USDT' });
  await expectShown(page, `${opening} USDT`);
  await behave(sandbox, { lost: { every: 3 } });
  await reach(page, 'stake');
  while ((await page.locator('#stake').inputValue()) !== STAKE) await page.keyboard.press('ArrowUp');
  await reach(page, 'spin');
  for (let n = 0; n < SPINS; n++) {
    // The button has the focus again after each spin.
    await spin(page, () => (n === 0 ? page.click('#spin') : page.keyboard.press(n % 2 ? 'Enter' : 'Space')));
    await expectShown(page, `${await cashOf(call)} USDT`);
  }
  await behave(sandbox, {});
  const bets = await everyBet(call);
  if (bets.length !== SPINS) throw new Error(`${SPINS} spins are ${bets.length} bets`);
  const net = bets.reduce((sum, { amount, payout }) => sum + units(payout) - units(amount), 0n);
  const { id } = await call('GET', '/user/me');
  const { books, pending, oddities } = (await booksOf(sandbox)) as AggregatorBooks;
  const found = {
    cash: await cashOf(call),
    aggregator: books.generic.net[id]?.USDT,
    repeats: books.generic.transactions.some(({ tries }) => tries > 1),
    pending,
    oddities,
    complaints,
  };
  const wanted = {
    cash: formatUnits(units(opening) + net),
    aggregator: formatUnits(net),
    repeats: true,
    pending: 0,
    oddities: [],
    complaints: [],
  };
  expectSame(found, wanted);
}

/** A demo game uses demo money. The player's balance does not change. */
export async function playDemo(page: Page, { api, sandbox }: Addresses): Promise<void> {
  const complaints = listen(page);
  const call = await signIn(api);
  const state = async () => ({
    cash: await cashOf(call),
    bets: (await everyBet(call)).length,
    books: await booksOf(sandbox),
  });
  const before = await state();
  await open(page, call, { demo: true });
  await page.locator('#mode').filter({ hasText: 'Demo' }).waitFor();
  await expectShown(page, '1000 DEMO');
  let funds = units('1000');
  for (let n = 0; n < 10; n++) {
    const { stake, won } = await spin(page, () => page.click('#spin'));
    funds += units(won) - units(stake);
    await expectShown(page, `${formatUnits(funds)} DEMO`);
  }
  expectSame({ ...(await state()), complaints }, { ...before, complaints: [] });
}

/** Collects errors and policy violations of the page or browser. */
function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** Launches the slot and opens it. */
async function open(page: Page, call: Call, body: object): Promise<void> {
  const { slug } = await insist(async () => {
    const { data } = await call('GET', '/casino/games?name=Seven%20Orchards');
    const game = data.find(({ provider }: { provider: { slug: string } }) => provider.slug === 'sandbox');
    if (!game) throw new Error('the games are not taken over yet');
    return game;
  });
  const { url } = await call('POST', `/casino/games/${slug}/launch`, body);
  // Skips the animation of the reels.
  await page.clock.install();
  await page.goto(url);
  await page.locator('#spin:enabled').waitFor();
}

/** Presses Tab until a control has the focus. */
async function reach(page: Page, id: string): Promise<void> {
  const focused = () => page.evaluate(() => (globalThis as any).document.activeElement?.id as string);
  for (let n = 0; (await focused()) !== id; n++) {
    if (n === 12) throw new Error(`Tab does not lead to #${id}`);
    await page.keyboard.press('Tab');
  }
}

/** Spins once. Returns the server's result. */
async function spin(page: Page, start: () => Promise<unknown>): Promise<{ stake: string; won: string }> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/games/spin')),
    start(),
  ]);
  const spun = await answer.json();
  if (spun.status !== 'PLAYED') throw new Error(`a spin was ${spun.status} ${spun.code}`);
  while (!(await page.locator('#spin').isEnabled())) await page.clock.fastForward(SHOWN_MS);
  const shown = await page.innerText('#won');
  if (parseUnits(shown.split(' ')[0]!) !== units(spun.won))
    throw new Error(`the page shows that ${shown} was won instead of ${spun.won}`);
  return spun;
}

async function expectShown(page: Page, balance: string): Promise<void> {
  const shown = await page.innerText('#balance');
  if (shown !== balance) throw new Error(`the page shows ${shown} instead of ${balance}`);
}

async function behave(sandbox: string, behaviour: object): Promise<void> {
  const body = JSON.stringify(behaviour);
  const answer = await fetch(`${sandbox}/games/behaviour`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`the aggregator does not behave so: ${await answer.text()}`);
}

const booksOf = async (sandbox: string): Promise<unknown> => (await fetch(`${sandbox}/games/books`)).json();

async function cashOf(call: Call): Promise<string> {
  const balances = await call('GET', '/accounting/balances');
  return balances.find(({ currencyId }: { currencyId: string }) => currencyId === 'USDT').amount;
}

async function everyBet(call: Call): Promise<{ amount: string; payout: string }[]> {
  const bets: { amount: string; payout: string }[] = [];
  for (let page = 1; ; page++) {
    const { data, totalPages } = await call('GET', `/bets?take=20&page=${page}`);
    bets.push(...data);
    if (page >= totalPages) return bets;
  }
}

function expectSame(found: object, wanted: object): void {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}
