/** The public page that verifies bets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { complaintsOf } from '../parts.ts';
import { type Call, newPlayer } from '../users.ts';

type Proof = {
  game: string;
  verified: boolean;
  outcome: Record<string, any>;
  round: object | null;
};

const ROULETTE_BETS = [
  { type: 'RED', amount: '0.5' },
  { type: 'STRAIGHT', numbers: [17], amount: '0.5' },
];
const SINGLE_BETS: Readonly<Record<string, readonly [path: string, body: object]>> = {
  dice: ['dice/bet', { threshold: 50, above: true }],
  limbo: ['limbo/bet', { multiplier: 2 }],
  keno: ['keno/bet', { risk: 'HIGH', selected: [1, 2, 3, 4, 5] }],
  plinko: ['plinko/bet', { risk: 'MEDIUM', rowsCount: 12 }],
  roulette: ['roulette/bet', { params: { bets: ROULETTE_BETS } }],
  mines: ['mines/auto-spin', { gridCellsCount: 25, bombsCount: 3, cellIndices: [0, 12, 24] }],
};
const GAMES = [...Object.keys(SINGLE_BETS), 'monkey-run', 'blackjack', 'speed-roulette'];

/** Places a bet in every game, and reveals the seeds. Returns the platform's proofs. */
async function proofsOfEveryGame(call: Call): Promise<Proof[]> {
  const stake = { currencyId: 'USDT', betAmount: '1' };
  const house = (method: string, path: string, body: object) =>
    call(method, `/casino/games/house/${path}`, body);
  // The bet on speed-roulette comes first, because its result takes longer than the others.
  await expect(() => house('POST', 'speed-roulette/bet', { ...stake, color: 'RED' })).toPass();
  for (const [path, body] of Object.values(SINGLE_BETS)) await house('POST', path, { ...stake, ...body });
  await house('POST', 'monkey-run/bet', { ...stake, difficulty: 'EASY' });
  const { isFinished } = await house('POST', 'monkey-run/play', { makeStep: 3 });
  if (!isFinished) await house('PUT', 'monkey-run/cash-out', {});
  let { data: table } = await house('POST', 'blackjack/init', stake);
  while (table.status !== 'FINISHED')
    ({ data: table } = await house('POST', 'blackjack/handleAction', { action: 'STAND' }));
  await call('POST', '/fairness/seeds/rotate', {});
  const settled = async () =>
    (await call('GET', '/bets?take=20')).data.filter((bet: { status: string }) => bet.status === 'SETTLED');
  await expect.poll(settled, { timeout: 60_000 }).toHaveLength(GAMES.length);
  return Promise.all((await settled()).map(({ id }: { id: string }) => call('GET', `/fairness/bets/${id}`)));
}

/** A player with a bet in every game, and the proofs of these bets. */
let player: Call;
let proofs: Proof[];

test.beforeAll(async ({ platform }) => {
  player = (await newPlayer(platform, { money: '100' })).call;
  proofs = await proofsOfEveryGame(player);
});

const verifier = (page: Page) => ({
  proof: page.locator('#pasted'),
  commitment: page.locator('#field-commitment'),
  verify: page.locator('#verify'),
  result: page.locator('#result'),
  verdict: page.locator('#verdict'),
  outcome: page.locator('#outcome'),
  drawing: page.locator('figure').getByRole('img'),
});

/** Submits the form for verification. Returns the verdict. */
async function verdictOn(page: Page): Promise<string | null> {
  const { verify, result, verdict } = verifier(page);
  await result.evaluate((shown) => shown.replaceChildren());
  await verify.click();
  return verdict.getAttribute('data-result');
}

async function expectVerdict(page: Page, proof: object, expected: string): Promise<void> {
  await verifier(page).proof.fill(JSON.stringify(proof));
  expect(await verdictOn(page), JSON.stringify(proof)).toBe(expected);
}

/** The page must accept the proof, and reject it with another outcome or seed. */
async function expectVerdicts(page: Page, proof: Proof): Promise<void> {
  const { outcome, drawing } = verifier(page);
  await expectVerdict(page, proof, 'VERIFIED');
  expect(JSON.parse(await outcome.innerText()), proof.game).toEqual(proof.outcome);
  await expect(drawing, proof.game).toBeVisible();
  await expectVerdict(
    page,
    { ...proof, outcome: { ...proof.outcome, ...changed(proof.outcome) } },
    'DIFFERENT',
  );
  const seed = 'a'.repeat(64);
  const otherSeed = proof.round
    ? { ...proof, round: { ...proof.round, seed } }
    : { ...proof, serverSeed: seed };
  await expectVerdict(page, otherSeed, 'DIFFERENT');
}

/** Returns one field of an outcome with a changed value. */
function changed(outcome: Record<string, any>): object {
  const [name, value] = Object.entries(outcome)[0]!;
  if (typeof value === 'number') return { [name]: value + 1 };
  return { [name]: Array.isArray(value) ? value.toReversed().concat(0) : { ...value, total: 99 } };
}

test('verifies a bet on every game, also from a saved page without a network', async ({ page }, info) => {
  // Browsers automatically request an icon, which the page's content security policy forbids.
  const complaints = complaintsOf(page, (text, url) => `${text} ${url}`.includes('favicon'));
  expect(proofs).toHaveLength(GAMES.length);
  expect(proofs.map(({ game }) => game)).toEqual(expect.arrayContaining(GAMES));
  expect(proofs.filter(({ verified }) => !verified)).toEqual([]);
  const response = await page.goto('/verify');
  for (const proof of proofs) await expectVerdicts(page, proof);

  const saved = info.outputPath('verify.html');
  writeFileSync(saved, await response!.body());
  const url = pathToFileURL(saved).href;
  await page.context().setOffline(true);
  await page.goto(url);
  for (const proof of proofs) await expectVerdicts(page, proof);

  // A link with the fields of a known vector fills in the form and computes the outcome.
  const vectors = JSON.parse(readFileSync('src/modules/games/house-games/verify/vectors.json', 'utf8'));
  const { bet } = vectors.find((vector: { bet: { game: string } }) => vector.bet.game === 'plinko');
  const { game, serverSeed, clientSeed, nonce, inputs, outcome } = bet;
  await page.goto(`${url}#${new URLSearchParams({ game, serverSeed, clientSeed, nonce, ...inputs })}`);
  await expect(verifier(page).verdict).toHaveAttribute('data-result', 'COMPUTED');
  await expect(verifier(page).outcome).toHaveText(JSON.stringify(outcome));
  expect(complaints).toEqual([]);
});

test('finds the commitment that covers a bet on speed-roulette', async ({ page }) => {
  const { proof, commitment } = verifier(page);
  const chains = await player('GET', '/fairness/chains');
  const bet = proofs.find(({ game }) => game === 'speed-roulette');
  await page.goto('/verify');
  const covering: string[] = [];
  for (const chain of chains.data ?? chains) {
    await proof.fill(JSON.stringify(bet));
    await commitment.fill(chain.commitment);
    if ((await verdictOn(page)) === 'VERIFIED') covering.push(chain.commitment);
  }
  expect(covering).toHaveLength(1);
});
