import { parseUnits, type Units } from '../../../../src/platform/money.ts';

/** Number of bets per request if none of them can meet a condition. */
const AT_ONCE = 5;
/** The most bets of a series. */
const MOST = 1000;

/** How the bet amount changes after a win or a loss: back to the first amount, or increased by this percentage. */
export type Change = 'reset' | bigint;
export type Plan = {
  count: number;
  onWin: Change;
  onLoss: Change;
  /** All in US dollars. The loss is required. */
  stopOnLoss: Units;
  stopOnProfit?: Units | undefined;
  stopOnWin?: Units | undefined;
  /** The game's largest bet. */
  maxBet?: Units | undefined;
};

/** Returns how many bets can be placed together: all but the last one cannot meet a condition, whatever their outcomes are. */
export function countOf(plan: Plan, so: { left: number; net: Units; stake: Units }): number {
  const isSteady = plan.onWin === 'reset' && plan.onLoss === 'reset';
  if (!isSteady || plan.stopOnProfit !== undefined || plan.stopOnWin !== undefined) return 1;
  const affordable = Number((plan.stopOnLoss + so.net) / so.stake);
  return Math.max(1, Math.min(AT_ONCE, so.left, affordable));
}

const CENT = 1_000_000n;
/** Returns the next bet amount in whole cents, but the first amount exactly. */
export const changed = (stake: Units, change: Change, first: Units): Units =>
  change === 'reset' ? first : ((stake * (100n + change)) / 100n / CENT) * CENT || stake;

/** Returns the condition that is met, or undefined. */
export function reached(plan: Plan, net: Units, won: Units): 'win' | 'loss' | 'profit' | undefined {
  if (plan.stopOnWin !== undefined && won > plan.stopOnWin) return 'win';
  if (-net >= plan.stopOnLoss) return 'loss';
  if (plan.stopOnProfit !== undefined && net >= plan.stopOnProfit) return 'profit';
  return undefined;
}

/** The fields of autoplay as typed. */
export type AutoTyped = Record<'count' | 'onWin' | 'onLoss' | 'profit' | 'loss' | 'win', string>;

/** An empty text is no change: the amount is reset. */
function changeOf(text: string): Change | undefined {
  if (text === '') return 'reset';
  return /^\d{1,4}$/.test(text) ? BigInt(text) : undefined;
}

/** The plan of the typed conditions, and the names of the fields that are wrong. */
export function planOf({ count, onWin, onLoss, profit, loss, win }: AutoTyped): {
  plan?: Plan;
  wrong: string[];
} {
  const [stopOnLoss, stopOnProfit, stopOnWin] = [loss, profit, win].map((text) => parseUnits(text));
  const [whenWon, whenLost] = [changeOf(onWin), changeOf(onLoss)];
  const wrong: string[] = [];
  if (!(/^\d{1,4}$/.test(count) && Number(count) >= 1 && Number(count) <= MOST)) wrong.push('count');
  if (!stopOnLoss) wrong.push('loss');
  if (profit && stopOnProfit === undefined) wrong.push('profit');
  if (win && stopOnWin === undefined) wrong.push('win');
  if (whenWon === undefined) wrong.push('onWin');
  if (whenLost === undefined) wrong.push('onLoss');
  if (wrong[0] || !stopOnLoss || whenWon === undefined || whenLost === undefined) return { wrong };
  const plan = {
    count: Number(count),
    onWin: whenWon,
    onLoss: whenLost,
    stopOnLoss,
    stopOnProfit,
    stopOnWin,
  };
  return { wrong, plan };
}
