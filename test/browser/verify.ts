import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';

type Proof = {
  betId: string;
  game: string;
  verified: boolean;
  inputs: object;
  outcome: Record<string, any>;
  round: any;
};
export type Call = (method: string, path: string, body?: object) => Promise<any>;

const PLAIN: Readonly<Record<string, readonly [path: string, body: object]>> = {
  dice: ['dice/bet', { threshold: 50, above: true }],
  limbo: ['limbo/bet', { multiplier: 2 }],
  keno: ['keno/bet', { risk: 'HIGH', selected: [1, 2, 3, 4, 5] }],
  plinko: ['plinko/bet', { risk: 'MEDIUM', rowsCount: 12 }],
  roulette: [
    'roulette/bet',
    {
      params: {
        bets: [
          { type: 'RED', amount: '0.5' },
          { type: 'STRAIGHT', numbers: [17], amount: '0.5' },
        ],
      },
    },
  ],
  mines: ['mines/auto-spin', { gridCellsCount: 25, bombsCount: 3, cellIndices: [0, 12, 24] }],
};
const ALL = [...Object.keys(PLAIN), 'monkey-run', 'blackjack', 'speed-roulette'];

/** Places a bet in every game on a running platform, and reveals the seeds. Returns the platform's proofs. */
export async function betOnEveryGame(api: string): Promise<{ proofs: Proof[]; commitments: string[] }> {
  const call = await signIn(api);
  const stake = { currencyId: 'USDT', betAmount: '1' };
  const house = (path: string) => `/casino/games/house/${path}`;
  // The bet on speed-roulette comes first, because its result takes longer than the others.
  await insist(() => call('POST', house('speed-roulette/bet'), { ...stake, color: 'RED' }));
  for (const [path, body] of Object.values(PLAIN)) await call('POST', house(path), { ...stake, ...body });
  await call('POST', house('monkey-run/bet'), { ...stake, difficulty: 'EASY' });
  const { isFinished } = await call('POST', house('monkey-run/play'), { makeStep: 3 });
  if (!isFinished) await call('PUT', house('monkey-run/cash-out'), {});
  let { data: table } = await call('POST', house('blackjack/init'), stake);
  while (table.status !== 'FINISHED')
    ({ data: table } = await call('POST', house('blackjack/handleAction'), { action: 'STAND' }));
  await call('POST', '/fairness/seeds/rotate', {});
  const proofs = await insist(async () => {
    const { data } = await call('GET', '/bets?take=20');
    const settled = data.filter((bet: { status: string }) => bet.status === 'SETTLED');
    if (settled.length < ALL.length)
      throw new Error(`only ${settled.length} of ${ALL.length} bets are settled`);
    return Promise.all(settled.map(({ id }: { id: string }) => call('GET', `/fairness/bets/${id}`)));
  });
  const { data: chains } = await call('GET', '/fairness/chains').then((list) =>
    Array.isArray(list) ? { data: list } : list,
  );
  return { proofs, commitments: chains.map(({ commitment }: { commitment: string }) => commitment) };
}

/**
 * Verifies the bets on the platform's page, then in a saved file of the page with the network disabled. Both must compute the same result
 * as the platform.
 */
export async function verifyEveryBet(page: Page, { api, proofs }: { api: string; proofs: readonly Proof[] }) {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  const games = proofs.map(({ game }) => game).sort();
  if (games.join() !== ALL.toSorted().join()) throw new Error(`bets on ${games} instead of ${ALL}`);
  const answer = await page.goto(`${api}/verify`);
  for (const proof of proofs) await expectVerdicts(page, proof);

  const saved = join(tmpdir(), `verify-${randomBytes(6).toString('hex')}.html`);
  writeFileSync(saved, await answer!.body());
  try {
    await page.context().setOffline(true);
    await page.goto(pathToFileURL(saved).href);
    for (const proof of proofs) await expectVerdicts(page, proof);
    await expectLink(page, pathToFileURL(saved).href);
  } finally {
    rmSync(saved);
  }
  // Browsers automatically request an icon, which the page's content security policy forbids.
  const bad = complaints.filter((text) => !text.includes('favicon'));
  if (bad.length > 0) throw new Error(`the page complains: ${bad.join('\n')}`);
}

/** Verifies that the speed-roulette bet is covered by a commitment published before it. */
export async function verifyChain(
  page: Page,
  { api, proofs, commitments }: { api: string; proofs: readonly Proof[]; commitments: readonly string[] },
) {
  const proof = proofs.find(({ game }) => game === 'speed-roulette')!;
  await page.goto(`${api}/verify`);
  const found: string[] = [];
  for (const commitment of commitments) {
    await page.fill('#pasted', JSON.stringify(proof));
    await page.fill('#field-commitment', commitment);
    if ((await verdictOn(page)) === 'VERIFIED') found.push(commitment);
  }
  if (found.length !== 1)
    throw new Error(`the bet belongs to ${found.length} of ${commitments.length} chains`);
}

async function expectVerdicts(page: Page, proof: Proof): Promise<void> {
  if (proof.verified !== true)
    throw new Error(`the platform itself does not verify its bet on ${proof.game}`);
  await expectVerdict(page, proof, 'VERIFIED');
  const shown = JSON.parse(await page.innerText('#outcome'));
  if (JSON.stringify(shown) !== JSON.stringify(proof.outcome))
    throw new Error(`${proof.game}: the page shows ${JSON.stringify(shown)}`);
  if (!(await page.locator('figure svg[role=img]').isVisible()))
    throw new Error(`${proof.game} is not drawn`);
  for (const tampered of [
    { ...proof, outcome: { ...proof.outcome, ...changed(proof.outcome) } },
    proof.round
      ? { ...proof, round: { ...proof.round, seed: 'a'.repeat(64) } }
      : { ...proof, serverSeed: 'a'.repeat(64) },
  ])
    await expectVerdict(page, tampered as Proof, 'DIFFERENT');
}

async function expectVerdict(page: Page, proof: Proof, result: string): Promise<void> {
  await page.fill('#pasted', JSON.stringify(proof));
  const verdict = await verdictOn(page);
  if (verdict !== result) throw new Error(`${proof.game}: ${verdict} instead of ${result}`);
}

async function verdictOn(page: Page): Promise<string | null> {
  await page.evaluate(() => (globalThis as any).document.querySelector('#result').replaceChildren());
  await page.click('#verify');
  return page.locator('#verdict').getAttribute('data-result');
}

/** Opens a link with the fields of a known vector, and expects the page to fill them in and compute. */
async function expectLink(page: Page, url: string): Promise<void> {
  const vectors = JSON.parse(readFileSync('src/modules/games/house-games/verify/vectors.json', 'utf8'));
  const { bet } = vectors.find((vector: { bet: { game: string } }) => vector.bet.game === 'plinko');
  const { game, serverSeed, clientSeed, nonce, inputs, outcome } = bet;
  await page.goto(`${url}#${new URLSearchParams({ game, serverSeed, clientSeed, nonce, ...inputs })}`);
  await page.locator('#verdict[data-result=COMPUTED]').waitFor();
  if ((await page.innerText('#outcome')) !== JSON.stringify(outcome))
    throw new Error('a link computes something else');
}

/** Returns one field of an outcome with a changed value. */
function changed(outcome: Record<string, any>): object {
  const [name, value] = Object.entries(outcome)[0]!;
  if (typeof value === 'number') return { [name]: value + 1 };
  return { [name]: Array.isArray(value) ? value.toReversed().concat(0) : { ...value, total: 99 } };
}

/** Creates a player with 100 US dollars of play money. */
export const signIn = async (api: string): Promise<Call> => (await signInWithSocket(api)).call;

/** Signs in like `signIn`. Also returns the player's socket token. */
export async function signInWithSocket(api: string): Promise<{ call: Call; socketToken: string }> {
  let token = '';
  const call: Call = async (method, path, body) => {
    const answer = await fetch(api + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const tokens = await call('POST', `/debug/auth/login/v_${randomBytes(6).toString('hex')}`);
  token = tokens.accessToken.token;
  await call('GET', '/debug/me/give-money?amount=100');
  return { call, socketToken: tokens.socketToken.token };
}

/** Retries `work` until it succeeds, for up to a minute. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return await work();
    } catch (error) {
      if (i === 120) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
