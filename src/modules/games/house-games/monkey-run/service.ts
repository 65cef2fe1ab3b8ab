import type { z } from 'zod';
import { formatUnits } from '../../../../platform/money.ts';
import { type Bettor, basisPoints } from '../../betting/play.ts';
import type { OpenRound, Rounds, ShownRound } from '../../betting/rounds.ts';
import { payoutsOf } from '../../betting/rules.ts';
import { PICK_SCALE } from '../rules.ts';
import type { RoundAction } from '../schemas.ts';
import type { HouseGames } from '../settings.ts';
import {
  cashOutMonkeyRun,
  DIFFICULTIES,
  type MonkeyRunOutcome,
  type MonkeyRunState,
  playMonkeyRun,
  stepMultiplier,
  stepMultipliers,
  stepsOf,
} from './rules.ts';
import type { MonkeyRunBet, MonkeyRunConfig, MonkeyRunRoundState, MonkeyRunStep } from './schemas.ts';

export type MonkeyRun = ReturnType<typeof createMonkeyRun>;
type Shown = z.input<typeof MonkeyRunRoundState>;

const SLUG = 'monkey-run';

export function createMonkeyRun({ games, rounds }: { games: HouseGames; rounds: Rounds }) {
  return {
    config(): z.input<typeof MonkeyRunConfig> {
      const settings = games.config(SLUG);
      const rtpBp = basisPoints(settings.rtp);
      const difficulties = DIFFICULTIES.map((name) => {
        const multipliers = stepMultipliers(name, rtpBp);
        return [name, { steps: stepsOf(name), multipliers }] as const;
      });
      return {
        ...settings,
        difficulties: Object.fromEntries(difficulties),
        maxMultiplier: Math.max(...difficulties.flatMap(([, { multipliers }]) => multipliers)),
      };
    },

    /** The open round; throws 404 ROUND_NOT_FOUND. */
    game: async (userId: number): Promise<Shown> =>
      toOpen(await rounds.get<MonkeyRunState>(userId, games.get(SLUG))),

    async bet(by: Bettor, body: z.output<typeof MonkeyRunBet>): Promise<Shown> {
      return rounds.start({
        by,
        game: games.get(SLUG),
        body,
        begin: () => ({ state: { difficulty: body.difficulty, step: 0, steps: [] } }),
        answer: toOpen,
      });
    },

    async play(by: Bettor, body: z.output<typeof MonkeyRunStep>): Promise<Shown> {
      return rounds.act({
        by,
        game: games.get(SLUG),
        operation: 'monkey-run.play',
        body,
        act: (round: OpenRound<MonkeyRunState>, next) => playMonkeyRun(round, body.makeStep, next!),
        answer: toShown,
      });
    },

    async cashOut(by: Bettor, body: z.output<typeof RoundAction>): Promise<Shown> {
      return rounds.act({
        by,
        game: games.get(SLUG),
        operation: 'monkey-run.cash-out',
        body,
        act: (round: OpenRound<MonkeyRunState>, next) => cashOutMonkeyRun(round, next!),
        answer: toShown,
      });
    },
  };
}

const toShown = (round: ShownRound<MonkeyRunState>): Shown => (round.end ? toFinished(round) : toOpen(round));

/** An open round: how far the monkey came, never where the traps lie. */
function toOpen(round: OpenRound<MonkeyRunState>): Shown {
  const { difficulty, step } = round.state;
  const payoutAt = (steps: number) =>
    payoutsOf({ ...round, multiplier: stepMultiplier(difficulty, steps, round.rtpBp), scale: PICK_SCALE })
      .payoutUsd;
  return {
    ...facts(round),
    cashOut: formatUnits(step > 0 ? payoutAt(step) : 0n),
    nextStepProfit: formatUnits(payoutAt(step + 1) - round.betUsd),
    isFinished: false,
    canCashOut: step > 0,
  };
}

function toFinished(round: ShownRound<MonkeyRunState>): Shown {
  const { end } = round;
  const { outcome, paid } = end as { outcome: MonkeyRunOutcome } & Exclude<typeof end, 'void' | undefined>;
  return {
    ...facts(round),
    cashOut: formatUnits(paid.payoutUsd),
    nextStepProfit: '0',
    isFinished: true,
    canCashOut: false,
    deadPoint: outcome.deadPoint,
  };
}

const facts = ({ state: { difficulty, step }, currencyId, betUsd, rtpBp }: OpenRound<MonkeyRunState>) => ({
  difficulty,
  currencyId,
  betAmount: formatUnits(betUsd),
  multipliers: stepMultipliers(difficulty, rtpBp),
  step,
});
