import { z } from 'zod';
import type { Caller } from '../../../../http/access.ts';
import { operation } from '../../../../http/operation.ts';
import { Amount, Decimal, object, strictObject, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { bettingErrors, stakeRefusals } from '../../betting/errors.ts';
import type { OpenRound, ShownRound } from '../../betting/rounds.ts';
import type { Next } from '../../betting/rules.ts';
import { ACTION, betFields, limitFields, READ, START } from '../schemas.ts';
import { configOf, type HouseGameDeps } from '../settings.ts';
import {
  actBlackjack,
  type BlackjackState,
  beginBlackjack,
  partsOf,
  showDealer,
  showHand,
  sideBetResult,
} from './rules.ts';
import { ACTIONS, type Action, availableActions, type Cards, isLayable } from './table/rules.ts';

const initFields = {
  ...betFields,
  sideBetAmount: Amount.nullable().optional().meta({
    description: 'Perfect Pair side bet in US dollars, at most betAmount. Null or "0" means no side bet.',
    example: '0.50',
  }),
};

const BlackjackInit = strictObject('BlackjackInit', initFields);

const Card = z.number().int().min(1).max(52);

const BlackjackInitDebug = strictObject('BlackjackInitDebug', {
  ...initFields,
  deck: z
    .array(Card)
    .min(4)
    .max(52)
    .refine(isLayable, 'needs to hold no card twice')
    .meta({
      description: 'The first cards to deal, in this order. The remaining cards follow in ascending order.',
      example: [8, 21, 7, 49],
    }),
});

const BlackjackAction = strictObject('BlackjackAction', {
  action: z.enum(ACTIONS),
  windowId: betFields.windowId,
});

const BlackjackDealer = object('BlackjackDealer', {
  cards: z.array(z.number().int()),
  hiddenCards: z.number().int(),
  total: z.number().int(),
  isBlackjack: z.boolean(),
  isBust: z.boolean(),
});

const BlackjackHand = object('BlackjackHand', {
  cards: z.array(z.number().int()),
  total: z.number().int(),
  isSoft: z.boolean(),
  isBlackjack: z.boolean(),
  isBust: z.boolean(),
  isDoubled: z.boolean(),
  betAmount: Decimal,
  result: z.enum(['WIN', 'LOSE', 'PUSH', 'BLACKJACK']).nullable(),
  payout: Decimal.nullable(),
});

/** Amounts are in US dollars. */
const BlackjackView = object('BlackjackState', {
  betId: z.string(),
  status: z.enum(['PLAYER_TURN', 'FINISHED']),
  currencyId: z.string(),
  betAmount: Decimal,
  sideBetAmount: Decimal.nullable(),
  /** PERFECT_PAIR is reserved, because it is only possible with more than one deck. */
  sideBetResult: z.enum(['NONE', 'MIXED_PAIR', 'COLORED_PAIR', 'PERFECT_PAIR']).nullable(),
  sideBetPayout: Decimal.nullable(),
  insuranceAmount: Decimal.nullable(),
  dealer: BlackjackDealer,
  hands: z.array(BlackjackHand),
  activeHandIndex: z.number().int().nullable(),
  availableActions: z.array(z.string()),
  payout: Decimal.nullable(),
  createdAt: Timestamp,
  finishedAt: Timestamp.nullable(),
});

const BlackjackRound = object('BlackjackRound', { data: BlackjackView });
const ActiveBlackjackRound = object('ActiveBlackjackRound', { data: BlackjackView.nullable() });

const BlackjackConfig = object('BlackjackConfig', limitFields);

export const dealBlackjack = operation({
  ...START,
  path: '/casino/games/house/blackjack/init',
  summary: 'Deal a round of blackjack',
  description: 'A natural may end the round immediately.',
  body: BlackjackInit,
  response: BlackjackRound,
  handler: (deps: HouseGameDeps, { caller, body }) => deal(deps, caller, body),
});

/** Available only in development. */
export const dealGivenDeck = operation({
  ...START,
  path: '/casino/games/house/blackjack/initDebug',
  summary: 'Deal a round of blackjack from a prearranged deck',
  description: 'The round has no seeds and does not use a nonce.',
  body: BlackjackInitDebug,
  response: BlackjackRound,
  handler: (deps: HouseGameDeps, { caller, body }) => deal(deps, caller, body),
});

/** Deals a round. A round with a prearranged `deck` has no seeds and uses no nonce. */
const deal = async (
  { games, rounds }: HouseGameDeps,
  by: Caller,
  body: z.output<typeof BlackjackInit> & { deck?: Cards },
) =>
  rounds.start({
    by,
    game: games.get('blackjack'),
    body,
    sideBetAmount: sideOf(body),
    isForced: body.deck !== undefined,
    begin: (terms, next) => beginBlackjack(terms, next, body.deck),
    answer,
  });

/** The gate is checked only for actions that take an additional stake. */
export const actInBlackjack = operation({
  ...ACTION,
  path: '/casino/games/house/blackjack/handleAction',
  summary: 'Perform an action in the open blackjack round',
  body: BlackjackAction,
  response: BlackjackRound,
  errors: [...stakeRefusals, commonErrors.AMOUNT_OUT_OF_RANGE],
  handler: async ({ games, rounds }: HouseGameDeps, { caller: by, body }) =>
    rounds.act({
      by,
      game: games.get('blackjack'),
      operation: 'blackjack.action',
      body,
      act: (round: OpenRound<BlackjackState>, next) => turnOf(round, body.action, next),
      answer,
    }),
});

export const getBlackjackRound = operation({
  ...READ,
  path: '/casino/games/house/blackjack/getActiveState',
  summary: 'Get the open round of blackjack, if any',
  response: ActiveBlackjackRound,
  handler: async ({ games, rounds }: HouseGameDeps, { user }) => {
    const round = await rounds.find<BlackjackState>(user.id, games.get('blackjack'));
    return { data: round ? toView(round) : null };
  },
});

export const getBlackjackConfig = operation(
  configOf('blackjack', {
    summary: 'Get the limits of blackjack',
    response: BlackjackConfig,
    read: ({ games }) => games.config('blackjack'),
  }),
);

const answer = (round: ShownRound<BlackjackState>): z.input<typeof BlackjackRound> => ({
  data: toView(round),
});

/** A missing, null or zero amount means no side bet. */
function sideOf({ sideBetAmount }: z.output<typeof BlackjackInit>): string | undefined {
  return sideBetAmount == null || /^[0.]+$/.test(sideBetAmount) ? undefined : sideBetAmount;
}

function turnOf(round: OpenRound<BlackjackState>, action: Action, next: Next | undefined) {
  const turn = actBlackjack(round, action, next);
  if (!turn) throw bettingErrors.ACTION_NOT_ALLOWED({ action });
  const { needs } = turn;
  // Half of the smallest stake rounds to zero. The insurance would then be free or pay nothing.
  if (needs && (needs.units === 0n || needs.usd === 0n)) throw commonErrors.AMOUNT_OUT_OF_RANGE({ action });
  return turn;
}

type Round = OpenRound<BlackjackState> & Partial<Pick<ShownRound<BlackjackState>, 'end' | 'finishedAt'>>;

/** Returns the player's view of a round, in US dollars. The payouts of hands and side bets are null until the round has ended. */
function toView({ state, end, finishedAt = null, ...round }: Round): z.input<typeof BlackjackView> {
  const { betAmount, sideBetAmount, table } = state;
  const parts = partsOf(state, table, round);
  const paid = (amount: Units | undefined) =>
    table.active === null && amount !== undefined ? formatUnits(amount) : null;
  return {
    betId: String(round.betId),
    status: table.active === null ? 'FINISHED' : 'PLAYER_TURN',
    currencyId: round.currencyId,
    betAmount,
    sideBetAmount,
    sideBetResult: sideBetResult(state, table),
    sideBetPayout: paid(parts.side?.paid.usd),
    insuranceAmount: parts.insurance ? formatUnits(parts.insurance.staked.usd) : null,
    dealer: showDealer(table),
    hands: table.hands.map((hand, i) => ({
      ...showHand(hand, table),
      betAmount: formatUnits(parts.hands[i]!.staked.usd),
      payout: paid(parts.hands[i]!.paid.usd),
    })),
    activeHandIndex: table.active,
    availableActions: availableActions(table),
    payout: end && end !== 'void' ? formatUnits(end.paid.payoutUsd) : null,
    createdAt: iso(round.createdAt),
    finishedAt,
  };
}
