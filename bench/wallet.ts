/**
 * npm run bench wallet: compares provider callbacks with a no-op variant that only verifies their signatures. Callbacks are measured
 * without other traffic, together with bets on house games, and for a single player. Also measures reads of a catalogue of 20,000 games.
 * `--quick` runs one short round.
 */
import { parseArgs } from 'node:util';
import { reconcile } from '../src/app/commands/reconcile.ts';
import { createSay } from './say.ts';
import { runAndUndo } from './undo.ts';
import { measureAll } from './wallet-figures.ts';
import { acknowledgedProblems } from './wallet-proof.ts';
import type { Acknowledged } from './wallet-protocol.ts';
import { prepareWallet, type WalletPlan } from './wallet-setup.ts';
import { durabilityOf, type World } from './world.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const plan: WalletPlan = values.quick
  ? { rounds: 1, attempts: 1, warmUpMs: 1000, measureMs: 3000, openMs: 5000 }
  : { rounds: 3, attempts: 3, warmUpMs: 2000, measureMs: 8000, openMs: 15_000 };

const say = createSay();

await runAndUndo(async (later) => {
  const bench = await prepareWallet({ plan, say, later });
  const settings = await durabilityOf(bench.world.db);
  say(
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  );
  const verdicts = await measureAll(bench);
  const acknowledged = await bench.acknowledged();
  // Stops the server, so that pending work is finished before the results are verified.
  await bench.stopServer();
  const problems = await proofOf(bench.world, acknowledged);
  if (problems.length > 0) {
    console.log(
      ['The database does not agree with the responses, so this run has no results.', ...problems].join('\n'),
    );
    return 1;
  }
  console.log(verdicts.map(({ line }) => line).join('\n'));
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
});

async function proofOf({ db, env }: World, acknowledged: Acknowledged): Promise<string[]> {
  say('comparing the acknowledged transactions with the database');
  const problems = await acknowledgedProblems(db, acknowledged);
  const { findings } = await reconcile(db, { seedSecret: env.SEED_SECRET });
  return [...problems, ...findings.map((finding) => JSON.stringify(finding))];
}
