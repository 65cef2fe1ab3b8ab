import { DICE_SCALE, diceOdds } from '../../../src/modules/games/house-games/dice/rules.ts';

/** The bet that the roll is over or under a threshold. */
export type Side = { threshold: number; above: boolean };
type Config = { rtp: number; maxMultiplier: number };

/** Returns true if a stored value is a side that can be bet on. Its multiplier depends on the configuration. */
export function isSide(stored: unknown): stored is Side {
  const { threshold = 0, above } = (stored ?? {}) as Partial<Side>;
  return typeof above === 'boolean' && Number.isFinite(threshold) && threshold > 0 && threshold < 100;
}

/** All rolls from 0.00 to 100.00 in hundredths, without 0. */
const ROLLS = 10_000;
/** The bounds of rules.ts: at most 98 of 100 rolls win, and a win pays at least 1.01 times the bet. */
const MOST_WINNING = 9800;
const LEAST_MULTIPLIER = 1.01;

const rtpBpOf = ({ rtp }: Config) => Math.round(rtp * 100);

/** Returns how many rolls may win, in hundredths of a roll. */
export function winningRange(config: Config): { least: number; most: number } {
  const rtpBp = rtpBpOf(config);
  return {
    least: Math.max(1, Math.ceil(rtpBp / config.maxMultiplier)),
    most: Math.min(MOST_WINNING, Math.floor(rtpBp / LEAST_MULTIPLIER)),
  };
}

/** Returns the bet on a side of which `winning` rolls win, moved into the allowed range. */
export function sideOf(winning: number, above: boolean, config: Config): Side {
  const { least, most } = winningRange(config);
  const count = Math.min(most, Math.max(least, Math.round(winning)));
  return { above, threshold: (above ? ROLLS - count : count) / 100 };
}

export const winningOf = ({ threshold, above }: Side): number => {
  const at = Math.round(threshold * 100);
  return above ? ROLLS - at : at;
};

/** Returns the multiplier of a bet. Undefined if the bet is not allowed. */
export function multiplierOf(side: Side, config: Config): number | undefined {
  const odds = diceOdds(side, { rtpBp: rtpBpOf(config), maxMultiplier: config.maxMultiplier });
  return odds && Number(odds.multiplier) / Number(DICE_SCALE);
}

/** Returns how many rolls win if a win pays about this multiplier. */
export const winningFor = (multiplier: number, config: Config): number => rtpBpOf(config) / multiplier;
