import type { Units } from '../../../../platform/money.ts';

/**
 * Computes required turnover from its history, which consists of the changes to the requirement and the counted stakes of bets between
 * them. All amounts are US dollars × 10^8.
 */

/** The open turnover. `keptUsd`: the part from promotional cash and tips, which a self-exclusion does not waive. */
export type OpenTurnover = { openUsd: Units; keptUsd: Units };

/** An amount that is added to the requirement, or removed from it if negative. `addedKeptUsd`: the part from promotional cash and tips. */
export type Requirement = { addedUsd: Units; addedKeptUsd: Units };

/** A change to the requirement, its ledger position, and the player's counted stakes at that time. */
export type Change = Requirement & { position: bigint; wageredUsd: Units };

/**
 * A later change to a settled bet's counted stake. `position` is the ledger position of the correction, `betPosition` that of the bet's
 * settlement.
 */
export type Correction = { position: bigint; betPosition: bigint; changeUsd: Units };

type Period = Requirement & { countedUsd: Units };

export const NOTHING: OpenTurnover = { openUsd: 0n, keptUsd: 0n };

/**
 * Returns the open turnover. Bets count towards deposit turnover first, and only towards requirements that were added before the bet was
 * settled.
 */
export const openTurnover = (
  changes: readonly Change[],
  now: { wageredUsd: Units; corrections: readonly Correction[] },
): OpenTurnover => periodsOf(changes, now).reduce(after, NOTHING);

/**
 * Returns the open turnover after a requirement was added or removed, before any bet. A removal reduces only the open amount of the same
 * kind.
 */
export function afterChange({ openUsd, keptUsd }: OpenTurnover, change: Requirement): OpenTurnover {
  const { addedUsd, addedKeptUsd } = change;
  if (addedUsd >= 0n) return { openUsd: openUsd + addedUsd, keptUsd: keptUsd + addedKeptUsd };
  const isKept = addedKeptUsd < 0n;
  const less = least(-addedUsd, isKept ? keptUsd : openUsd - keptUsd);
  return { openUsd: openUsd - less, keptUsd: isKept ? keptUsd - less : keptUsd };
}

function after(before: OpenTurnover, { countedUsd, ...change }: Period): OpenTurnover {
  const { openUsd, keptUsd } = afterChange(before, change);
  const left = openUsd > countedUsd ? openUsd - countedUsd : 0n;
  return { openUsd: left, keptUsd: least(keptUsd, left) };
}

/**
 * Returns each change with the counted stakes of the bets settled between it and the next one. A correction belongs to the period in which
 * its bet was settled, not to the period in which it was made.
 */
function periodsOf(
  changes: readonly Change[],
  { wageredUsd, corrections }: { wageredUsd: Units; corrections: readonly Correction[] },
): Period[] {
  const counted = changes.map((change, i) => (changes[i + 1]?.wageredUsd ?? wageredUsd) - change.wageredUsd);
  const periodAt = (position: bigint) => changes.findLastIndex((change) => change.position < position);
  for (const { position, betPosition, changeUsd } of corrections) {
    const [madeIn, belongsTo] = [periodAt(position), periodAt(betPosition)];
    if (madeIn >= 0) counted[madeIn]! -= changeUsd;
    if (belongsTo >= 0) counted[belongsTo]! += changeUsd;
  }
  return changes.map(({ addedUsd, addedKeptUsd }, i) => ({
    addedUsd,
    addedKeptUsd,
    countedUsd: counted[i]!,
  }));
}

const least = (a: Units, b: Units): Units => (a < b ? a : b);
