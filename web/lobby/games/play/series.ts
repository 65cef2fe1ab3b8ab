import { Refused, type RefusedBet } from '../../../../client/call.ts';
import { formatUnits, units } from '../../../../src/platform/money.ts';
import { asRefused } from '../../../kit/query.ts';
import { holdBalances } from '../../balances.ts';
import { isPlayHeld } from '../../play-hold.ts';
import { words } from '../../words.ts';
import type { Answered, Auto, Run } from './auto.ts';
import type { Ended } from './levels.ts';
import { beat } from './motion.ts';
import { showOutcome } from './outcome.ts';
import { changed, countOf, reached } from './plan.ts';
import { announce, shownBy } from './use-bet.ts';

const PAUSE_MS = 350;
/** The least time between two requests. It limits their rate when nothing moves. */
const LEAST_MS = 120;
/** A lost connection is waited for. All attempts have the same idempotency key (send.ts). */
const AWAY = { tries: 20, pauseMs: 3000 };

/** Places bets and shows their outcomes until the plan ends the series. Returns why it has ended. Throws `Refused`. */
export async function playSeries<B extends Ended>(run: Run<B>): Promise<string> {
  const { so } = run;
  for (;;) {
    so.end ??= endBefore(run);
    if (so.end !== undefined) return so.end;
    await someBets(run);
  }
}

/** Shows bets of series without movement. A series of mines has one bet in each response. Throws `Refused`. */
export async function showLost<B extends Ended>(
  game: string,
  asked: readonly (() => Promise<unknown>)[],
  auto: { readonly current: Auto<B> | undefined },
): Promise<void> {
  for (const ask of asked) {
    const answer = (await ask()) as Answered<B> | B;
    const { bets, refused, unknown } =
      'bets' in answer ? answer : { bets: [answer], refused: null, unknown: 0 };
    for (const bet of bets) {
      showOutcome(game, bet);
      if (auto.current) announce(auto.current.say(bet));
    }
    refuse(refused);
    if (unknown > 0) announce(words.auto.ends.unknown);
  }
}

function refuse(refused: RefusedBet | null): void {
  if (refused) throw new Refused(409, { ...refused, details: refused.details ?? {} });
}

/** Returns why no further bet is placed, or undefined. */
function endBefore<B extends Ended>({ so, plan, isWanted }: Run<B>): string | undefined {
  const { ends } = words.auto;
  if (!isWanted.current) return ends.stopped;
  if (so.left <= 0) return ends.done;
  if (isPlayHeld()) return ends.held;
  return plan.maxBet !== undefined && so.stake > plan.maxBet ? ends.most : undefined;
}

/** Places some bets and shows their outcomes. Throws `Refused`. */
async function someBets<B extends Ended>(run: Run<B>): Promise<void> {
  const { game, plan, so, tell, isWanted, latest } = run;
  const auto = latest.current!;
  const release = holdBalances();
  try {
    const [{ bets, refused, unknown }] = await Promise.all([
      asked(run, auto, countOf(plan, so)),
      new Promise((done) => setTimeout(done, LEAST_MS)),
    ]);
    so.left -= bets.length + unknown;
    for (const bet of bets) {
      // After the player has stopped the series, the outcomes of bets that were already placed are shown without movement.
      if (isWanted.current) await shownBy(auto, bet);
      const won = units(bet.payout) - units(bet.betAmount);
      so.net += won;
      so.stake = changed(so.stake, won > 0n ? plan.onWin : plan.onLoss, units(run.stake.betAmount));
      const met = reached(plan, so.net, won);
      so.end ??= met && words.auto.ends[met];
      showOutcome(game, bet);
      announce(auto.say(bet));
      tell();
      if (isWanted.current) await beat(auto.pauseMs ?? PAUSE_MS);
    }
    refuse(refused);
    if (unknown > 0) so.end = words.auto.ends.unknown;
  } finally {
    release();
  }
}

/** Sends the bets. Waits for the connection if it is lost. */
async function asked<B extends Ended>({ so, stake, tell, isWanted }: Run<B>, auto: Auto<B>, count: number) {
  for (let tries = 1; ; tries++)
    try {
      const answer = await auto.ask({ ...stake, betAmount: formatUnits(so.stake) }, count);
      so.isAway = false;
      return answer;
    } catch (error) {
      if (asRefused(error).status !== 0 || tries === AWAY.tries || !isWanted.current) throw error;
      so.isAway = true;
      tell();
      await new Promise((done) => setTimeout(done, AWAY.pauseMs));
    }
}
