import type { Page } from 'playwright-core';
import { units } from '../../../src/platform/money.ts';
import { insist } from '../verify.ts';
import { agree, type Books, listen, newPlayer, ok, outcome, reach } from './play.ts';
import type { Place, Steps } from './steps.ts';

const PLAY = 'button[type=submit].play';
const QUICK = 'form.stake > label.check > input';

/** The keyboard steps to play a game, in addition to pressing its button: inputs before the bet, and actions during the round. */
type Way = { prepare?: (page: Page) => Promise<void>; goOn?: (page: Page) => Promise<void> };

const WAYS: Readonly<Record<string, Way>> = {
  dice: {},
  limbo: {},
  plinko: {},
  keno: {
    async prepare(page) {
      if ((await page.locator('.numbers [aria-pressed=true]').count()) > 0) return;
      await reach(page, '.numbers button');
      for (const key of ['Enter', 'ArrowRight', 'Space', 'ArrowDown', 'Enter'])
        await page.keyboard.press(key);
      ok((await page.locator('.numbers [aria-pressed=true]').count()) === 3, 'three numbers are chosen');
    },
  },
  roulette: {
    async prepare(page) {
      if ((await page.locator('.table .chip').count()) > 0) return;
      await reach(page, '.table button');
      const keys = [
        'ArrowDown',
        'Enter',
        'ArrowDown',
        'ArrowDown',
        'Space',
        'ArrowDown',
        'Enter',
        'Backspace',
      ];
      for (const key of keys) await page.keyboard.press(key);
      ok((await page.locator('.table .chip').count()) === 2, 'two chips lie, one was taken back');
    },
  },
  mines: {
    async goOn(page) {
      await reach(page, '.grid button');
      await page.keyboard.press('ArrowRight');
      await act(page, 'Enter');
      if (!(await isOpen(page))) return;
      await reach(page, `${PLAY}:enabled`);
      await act(page, 'Enter');
    },
  },
  'monkey-run': {
    async goOn(page) {
      await reach(page, `${PLAY}:enabled`);
      await act(page, 'Space');
      if (!(await isOpen(page))) return;
      await reach(page, '.choices button:enabled', 'Shift+Tab');
      await act(page, 'Enter');
    },
  },
  blackjack: {
    async goOn(page) {
      while (await isOpen(page)) {
        await reach(page, '.felt .actions button:nth-child(2)');
        await act(page, 'Enter');
      }
    },
  },
};

/** Returns true if a round is open. Its stake input is then disabled. */
const isOpen = (page: Page) => page.locator('input[name=betAmount]').isDisabled();

/** Presses a key that calls the server, and waits until the response is displayed. */
async function act(page: Page, key: string): Promise<void> {
  const answered = page.waitForResponse(
    (answer) => answer.url().includes('/casino/games/house/') && answer.request().method() !== 'GET',
  );
  await page.keyboard.press(key);
  await answered;
  await page.locator(`${PLAY}[aria-busy=false]`).waitFor();
}

async function saidNow(page: Page): Promise<string> {
  return (await page.locator('.said[role=status]').innerText()).trim();
}

/** Plays one bet to its end. The displayed outcome and balance must match the API. */
async function oneBet(page: Page, { game, books }: { game: string; books: () => Promise<Books> }) {
  const { prepare, goOn } = WAYS[game]!;
  const before = await books();
  await prepare?.(page);
  await reach(page, `${PLAY}:enabled`);
  await act(page, 'Enter');
  await goOn?.(page);
  const { bets } = await agree(page, books);
  ok(bets.length === before.bets.length + 1, `${bets.length} bets on ${game}`);
  ok(bets[0]!.status === 'SETTLED', `the bet on ${game} is open`);
  const { payout } = bets[0]!;
  const said = await saidNow(page);
  ok(/Lost\./.test(said) === (units(payout) === 0n), `${game} says "${said}" of a payout of ${payout}`);
}

/** Plays eight games, each first with animations and then without them. */
async function byKeyboard(page: Page, { platform }: Place): Promise<void> {
  const complaints = listen(page);
  const { books } = await newPlayer(page, platform);
  for (const game of Object.keys(WAYS)) {
    await page.goto(`${platform.api}/play/games/${game}`);
    await page.locator(`${PLAY}, ${PLAY}:disabled`).first().waitFor();
    for (const isQuick of [false, true]) {
      if ((await page.locator(QUICK).isChecked()) !== isQuick) {
        await reach(page, QUICK);
        await page.keyboard.press('Space');
      }
      await oneBet(page, { game, books });
    }
  }
  ok(complaints.length === 0, complaints.join('\n'));
}

/** Bets in a shared round. The bet appears among those of other players, and the outcome is announced when the wheel stops. */
async function sharedRound(page: Page, { platform }: Place): Promise<void> {
  const complaints = listen(page);
  const { books } = await newPlayer(page, platform);
  await page.goto(`${platform.api}/play/games/speed-roulette`);
  await page.locator('.sitting').filter({ hasText: '● live' }).waitFor();
  await page.locator(`${PLAY}:enabled`).waitFor({ timeout: 60_000 });
  await reach(page, '[role=group] button[aria-pressed=false]');
  await page.keyboard.press('Enter');
  await reach(page, `${PLAY}:enabled`);
  await act(page, 'Enter');
  const placed = await outcome(page, '');
  await page.locator('.everybody li').filter({ hasText: 'You' }).waitFor();
  const seedHash = await commitmentShown(page);
  const said = await outcome(page, placed);
  ok(/^\d+ (red|black|green)\. \S/.test(said), `no outcome is said: ${said}`);
  const { bets } = await agree(page, books);
  ok(bets.length === 1 && bets[0]!.status === 'SETTLED', 'the bet is settled');
  ok(/Lost\./.test(said) === (units(bets[0]!.payout) === 0n), `"${said}" of a payout of ${bets[0]!.payout}`);
  const { round } = await page.evaluate(
    async (id) => (await (globalThis as any).fetch(`/fairness/bets/${id}`)).json(),
    bets[0]!.id,
  );
  ok(round.seedHash === seedHash, `the commitment ${seedHash} became ${JSON.stringify(round)}`);
  ok(complaints.length === 0, complaints.join('\n'));
}

/** Opens the fairness box, which shows the commitment to the round's seed. */
async function commitmentShown(page: Page): Promise<string> {
  await reach(page, '.fairness > summary');
  await page.keyboard.press('Enter');
  return page.locator('.fairness code').first().innerText();
}

/** Autoplay stops without another bet as soon as the loss or profit meets a condition. */
async function autoplay(page: Page, { platform }: Place): Promise<void> {
  const { books } = await newPlayer(page, platform);
  await page.goto(`${platform.api}/play/games/dice`);
  await page.locator(`${PLAY}:enabled`).waitFor();
  await reach(page, QUICK);
  await page.keyboard.press('Space');
  await reach(page, '.series > summary', 'Shift+Tab');
  await page.keyboard.press('Enter');
  for (const [name, text] of Object.entries({ count: '1000', fallen: '2.5', risen: '2.5' })) {
    await reach(page, `.series input[name=${name}]`);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
  }
  await reach(page, '.series button');
  await page.keyboard.press('Enter');
  await page.locator('.series strong').waitFor({ timeout: 60_000 });
  const { bets } = await agree(page, books);
  const nets = bets.toReversed().map(({ amount, payout }) => units(payout) - units(amount));
  const most = units('2.5');
  const sums = nets.map((_, last) => nets.slice(0, last + 1).reduce((sum, net) => sum + net, 0n));
  const at = sums.findIndex((sum) => sum >= most || -sum >= most);
  ok(at === nets.length - 1, `the condition was met at bet ${at + 1} of ${nets.length}`);
  const left = await page.locator('.series p').innerText();
  ok(left.startsWith(`${1000 - nets.length} left`), `${nets.length} bets, and it says "${left}"`);
}

/** Returns the requested duration of every animation since the page was opened. */
async function durations(page: Page): Promise<number[]> {
  return page.evaluate(() => (globalThis as any).durations);
}

/** With reduced motion, outcomes appear immediately. Otherwise they are animated. */
async function reducedMotion(page: Page, { platform }: Place): Promise<void> {
  const { books } = await newPlayer(page, platform);
  await page.addInitScript(() => {
    const { prototype } = (globalThis as any).Element;
    const { animate } = prototype;
    const durations: number[] = [];
    (globalThis as any).durations = durations;
    prototype.animate = function (this: unknown, frames: unknown, options: { duration: number }) {
      durations.push(options.duration);
      return animate.call(this, frames, options);
    };
  });
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    await page.emulateMedia({ reducedMotion });
    for (const game of ['plinko', 'roulette']) {
      await page.goto(`${platform.api}/play/games/${game}`);
      await page.locator('.game .stage').waitFor();
      await oneBet(page, { game, books });
      const asked = await durations(page);
      const isStill = asked.every((ms) => ms === 0);
      ok(
        asked.length > 0 && isStill === (reducedMotion === 'reduce'),
        `${game} with ${reducedMotion} moves for ${asked.join(', ')} ms`,
      );
    }
  }
}

/** One click on a bet opens its proof with all fields filled in. The proof is valid once the seed is revealed. */
async function provesABet(page: Page, { platform }: Place): Promise<void> {
  const { books } = await newPlayer(page, platform);
  await page.goto(`${platform.api}/play/games/dice`);
  await page.locator(`${PLAY}:enabled`).waitFor();
  const commitment = await commitmentShown(page);
  await reach(page, `${PLAY}:enabled`, 'Shift+Tab');
  await oneBet(page, { game: 'dice', books });
  await reach(page, '.fairness form button');
  await page.keyboard.press('Enter');
  await page.locator('.fairness form code').waitFor();
  await page.locator('.fairness a[href*="%22serverSeed%22%3A%22"]').waitFor();
  await reach(page, '.fairness a[href^="/verify"]');
  const [verifier] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Enter')]);
  await verifier.locator('#verdict[data-result=VERIFIED]').waitFor();
  const pasted = await verifier.locator('#pasted').inputValue();
  ok(pasted.includes(commitment), 'the bet was made with the seed that was committed to');
}

/** A provider's slot opens in a frame, and its spin changes the displayed balance. */
async function providerSlot(page: Page, { platform }: Place): Promise<void> {
  const complaints = listen(page);
  const { books } = await newPlayer(page, platform);
  await spinASlot(page, platform.api);
  await insist(async () => ok((await books()).bets.length === 1, 'the spin is no bet yet'));
  await agree(page, books);
  ok(complaints.length === 0, complaints.join('\n'));
}

/** Finds a slot of the sandbox in the catalogue, opens it and spins once. */
export async function spinASlot(page: Page, api: string): Promise<void> {
  await page.goto(`${api}/play/games`);
  await page.locator('.catalogue input').first().fill('Seven Orchards');
  await page.keyboard.press('Enter');
  await page.locator('.catalogue .tile').filter({ hasText: 'Sandbox' }).first().click();
  await page.getByRole('button', { name: 'Play with USDT' }).click();
  const slot = page.frameLocator('iframe.frame');
  await slot.locator('#spin:enabled').waitFor();
  await slot.locator('#spin').click();
}

export const gamesSteps: Steps = {
  'eight games by keyboard alone, with and without quick play: what is said, shown and booked agree':
    byKeyboard,
  'a round of speed-roulette by keyboard: bets live, outcome said, commitment kept': sharedRound,
  'autoplay stops at the bet that meets its condition': autoplay,
  'reduced motion shows outcomes at once': reducedMotion,
  'a bet is proven one click beside the game, once its seed is revealed': provesABet,
  'a slot of a provider opens in its frame, and a spin moves the balance': providerSlot,
};
