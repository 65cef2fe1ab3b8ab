import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object, strictObject } from '../../../../http/schemas.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { bettingErrors } from '../../betting/errors.ts';
import type { OpenRound, ShownRound } from '../../betting/rounds.ts';
import { basisPoints, payoutsOf } from '../../betting/rules.ts';
import { PICK_SCALE } from '../rules.ts';
import { ACTION, betFields, limitFields, READ, RoundAction, START } from '../schemas.ts';
import { configOf, type HouseGameDeps } from '../settings.ts';
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

const SLUG = 'monkey-run';

const MOST_STEPS = Math.max(...DIFFICULTIES.map(stepsOf));

const MonkeyRunBet = strictObject('MonkeyRunBet', { ...betFields, difficulty: z.enum(DIFFICULTIES) });

const MonkeyRunStep = strictObject('MonkeyRunStep', {
  makeStep: z
    .number()
    .int()
    .min(1)
    .max(MOST_STEPS)
    .meta({ description: 'The number of the tile to move to' }),
  windowId: betFields.windowId,
});

const MonkeyRunRoundState = object('MonkeyRunState', {
  difficulty: z.string(),
  currencyId: CurrencyId,
  betAmount: Decimal,
  cashOut: Decimal,
  nextStepProfit: Decimal,
  isFinished: z.boolean(),
  canCashOut: z.boolean(),
  multipliers: z.array(z.number()),
  step: z.number().int(),
  deadPoint: z.number().int().optional(),
});

const Difficulties = z.record(z.string(), z.object({ steps: z.number(), multipliers: z.array(z.number()) }));

const MonkeyRunConfig = object('MonkeyRunConfig', {
  ...limitFields,
  difficulties: Difficulties,
  rtp: z.number(),
  maxMultiplier: z.number(),
});

type State = z.input<typeof MonkeyRunRoundState>;

export const startRun = operation({
  ...START,
  path: '/casino/games/house/monkey-run/bet',
  summary: 'Start a monkey run',
  body: MonkeyRunBet,
  response: MonkeyRunRoundState,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) =>
    rounds.start({
      by,
      game: games.get(SLUG),
      body,
      begin: () => ({ state: { difficulty: body.difficulty, step: 0, steps: [] } }),
      answer: toOpen,
    }),
});

export const makeStep = operation({
  ...ACTION,
  path: '/casino/games/house/monkey-run/play',
  summary: 'Run to a tile',
  body: MonkeyRunStep,
  response: MonkeyRunRoundState,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) =>
    rounds.act({
      by,
      game: games.get(SLUG),
      operation: 'monkey-run.play',
      body,
      act: (round: OpenRound<MonkeyRunState>, next) => playMonkeyRun(round, body.makeStep, next!),
      answer: toState,
    }),
});

export const cashOutRun = operation({
  ...ACTION,
  method: 'PUT',
  path: '/casino/games/house/monkey-run/cash-out',
  summary: 'End the run and cash out',
  body: RoundAction,
  response: MonkeyRunRoundState,
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) =>
    rounds.act({
      by,
      game: games.get(SLUG),
      operation: 'monkey-run.cash-out',
      body,
      act: (round: OpenRound<MonkeyRunState>, next) => cashOutMonkeyRun(round, next!),
      answer: toState,
    }),
});

export const getRun = operation({
  ...READ,
  path: '/casino/games/house/monkey-run/game',
  summary: 'Get the open monkey run',
  response: MonkeyRunRoundState,
  errors: [bettingErrors.ROUND_NOT_FOUND],
  handler: async ({ games, rounds }: HouseGameDeps, { user }) =>
    toOpen(await rounds.get<MonkeyRunState>(user.id, games.get(SLUG))),
});

export const getRunConfig = operation(
  configOf(SLUG, {
    summary: 'Get the limits, multipliers and RTP of monkey-run',
    response: MonkeyRunConfig,
    read: ({ games }) => {
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
  }),
);

const toState = (round: ShownRound<MonkeyRunState>): State => (round.end ? toFinished(round) : toOpen(round));

/** The player's view of an open round. It never contains the traps. */
function toOpen(round: OpenRound<MonkeyRunState>): State {
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

function toFinished(round: ShownRound<MonkeyRunState>): State {
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
