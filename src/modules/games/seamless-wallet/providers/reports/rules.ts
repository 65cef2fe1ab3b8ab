import { formatUnits, type Units } from '../../../../../platform/money.ts';
import type { ReportedTransaction, Round } from '../../engine/rules.ts';

/** A transaction that we have booked. `at`: the time of the booking. */
export type OwnTransaction = {
  transactionId: string;
  /** As in `provider_transactions`, including FREE_BET and FREE_WIN. */
  type: string;
  status: 'DONE' | 'REFUSED' | 'UNDONE' | 'TOMBSTONE';
  refusal: string | null;
  playerId: string;
  currencyId: string;
  amount: Units;
  round: string | null;
  reference: string | null;
  at: Date;
  /** For a ROLLBACK: true if the referenced transaction had been booked earlier, so that the rollback has reversed it. */
  hasEffect: boolean;
};

export type OwnRound = Pick<Round, 'ref' | 'status'> & { playerId: string; updatedAt: Date };

/** From one time (inclusive) to another (exclusive). */
export type Window = { from: Date; to: Date };

/**
 * Both sides of a comparison: the provider's report of a window, and our transactions that are in the report or were booked in the window.
 * Also contains the rounds that have ended according to the report.
 */
export type Books = {
  reported: readonly ReportedTransaction[];
  own: readonly OwnTransaction[];
  rounds: readonly OwnRound[];
  window: Window;
};

export type DifferenceKind = 'MISSING_HERE' | 'MISSING_THERE' | 'AMOUNT' | 'STATE' | 'OPEN_HERE';

export type Difference = {
  kind: DifferenceKind;
  /** The id of the transaction; for OPEN_HERE the player and round. */
  subject: string;
  /** The player id in the provider's report. */
  playerId: string;
  facts: object;
  /** The side on which a rollback after the window would explain the difference. */
  unlessUndone?: 'THEIRS' | 'OURS';
};

/** Maximum difference between clocks. */
export const CLOCKS_MS = 5 * 60_000;

/** Types that have different names in reports. A win in free rounds may be reported as either type of free win. */
const REPORTED_TYPES: Readonly<Record<string, readonly string[]>> = {
  BET: ['BET'],
  FREE_BET: ['BET', 'FREE_BET'],
  WIN: ['WIN'],
  FREE_WIN: ['WIN', 'FREE_WIN', 'FREE_SPIN_WIN'],
  FREE_SPIN_WIN: ['FREE_SPIN_WIN', 'FREE_WIN'],
};

type Sides = {
  here: ReadonlyMap<string, OwnTransaction>;
  there: ReadonlyMap<string, ReportedTransaction>;
  /** Rollbacks, by the transaction that they reference. */
  undoneHere: ReadonlyMap<string, OwnTransaction>;
  undoneThere: ReadonlyMap<string, ReportedTransaction>;
};

/** Compares both sides and returns each difference once. */
export function compareBooks({ reported, own, rounds, window }: Books): Difference[] {
  const sides: Sides = {
    here: new Map(own.map((one) => [one.transactionId, one])),
    there: new Map(reported.map((one) => [one.transactionId, one])),
    undoneHere: rollbacksOf(own.filter(({ status }) => status === 'DONE')),
    undoneThere: rollbacksOf(reported.filter(({ state }) => state === 'DONE')),
  };
  const there = [...sides.there.values()].flatMap((theirs) => {
    const ours = sides.here.get(theirs.transactionId);
    return ours ? differencesOf(sides, theirs, ours) : missingHere(sides, theirs);
  });
  const here = own.filter((ours) => isMissingThere(sides, ours, window)).map(missingThere);
  const found = [...there, ...here];
  return [...found, ...openHere(reported, rounds, { window, found })];
}

const rollbacksOf = <T extends { type: string; reference: string | null }>(all: readonly T[]) =>
  new Map(all.flatMap((one) => (one.type === 'ROLLBACK' && one.reference ? [[one.reference, one]] : [])));

const isInEffect = (ours: OwnTransaction | undefined): boolean => ours?.status === 'DONE';

/**
 * Skips transactions that the provider has rolled back. Also skips rollbacks of transactions that we have not booked or have already rolled
 * back, because booking these rollbacks would change nothing.
 */
function missingHere({ here }: Sides, theirs: ReportedTransaction): Difference[] {
  if (theirs.state !== 'DONE') return [];
  if (theirs.type === 'ROLLBACK' && theirs.reference !== null && !isInEffect(here.get(theirs.reference)))
    return [];
  return [difference('MISSING_HERE', { theirs })];
}

/** Returns true if a transaction is in the window by both clocks and is missing from the report. */
function isMissingThere({ there }: Sides, ours: OwnTransaction, { from, to }: Window): boolean {
  const at = ours.at.getTime();
  return (
    at >= from.getTime() + CLOCKS_MS &&
    at < to.getTime() - CLOCKS_MS &&
    ours.status === 'DONE' &&
    (ours.type !== 'ROLLBACK' || ours.hasEffect) &&
    !there.has(ours.transactionId)
  );
}

const missingThere = (ours: OwnTransaction): Difference => difference('MISSING_THERE', { ours });

function differencesOf(sides: Sides, theirs: ReportedTransaction, ours: OwnTransaction): Difference[] {
  const isBooked = ours.status === 'DONE' || ours.status === 'UNDONE';
  return [
    ...(isBooked && !isSame(theirs, ours) ? [difference('AMOUNT', { theirs, ours })] : []),
    ...stateOf(sides, theirs, ours),
  ];
}

/** Compares the content of a transaction. The amount of a rollback is ignored. */
const isSame = (theirs: ReportedTransaction, ours: OwnTransaction): boolean =>
  (REPORTED_TYPES[ours.type] ?? [ours.type]).includes(theirs.type) &&
  theirs.playerId === ours.playerId &&
  theirs.currencyId === ours.currencyId &&
  (ours.type === 'ROLLBACK' || theirs.amount === ours.amount);

/** Compares the state of a transaction. A rollback that is missing on one side is a separate difference. */
function stateOf(sides: Sides, theirs: ReportedTransaction, ours: OwnTransaction): Difference[] {
  const { transactionId: id } = theirs;
  if ((theirs.state === 'DONE') === isInEffect(ours)) return [];
  const found = difference('STATE', { theirs, ours });
  if (ours.status === 'REFUSED') return [found];
  if (isInEffect(ours)) {
    const rollback = sides.undoneThere.get(id);
    if (!rollback) return [{ ...found, unlessUndone: 'THEIRS' }];
    return isInEffect(sides.here.get(rollback.transactionId)) ? [found] : [];
  }
  const rollback = sides.undoneHere.get(id);
  if (!rollback) return [{ ...found, unlessUndone: 'OURS' }];
  return sides.there.has(rollback.transactionId) ? [found] : [];
}

type Ended = { window: Window; found: readonly Difference[] };

/** Returns rounds that have ended only at the provider, unless a difference in their transactions explains this. */
function openHere(
  reported: readonly ReportedTransaction[],
  rounds: readonly OwnRound[],
  { window, found }: Ended,
): Difference[] {
  const open = new Map(rounds.filter((r) => r.status === 'OPEN').map((r) => [nameOf(r.playerId, r.ref), r]));
  const explained = new Set(found.map(({ subject }) => subject));
  const ended = new Map<string, ReportedTransaction>();
  const differing = new Set<string>();
  for (const theirs of reported) {
    if (theirs.round === null) continue;
    const name = nameOf(theirs.playerId, theirs.round);
    if (explained.has(theirs.transactionId)) differing.add(name);
    if (theirs.isRoundClosed === true) ended.set(name, theirs);
  }
  return [...ended].flatMap(([name, theirs]) => {
    const round = open.get(name);
    if (!round || differing.has(name) || round.updatedAt >= window.to) return [];
    const { playerId } = theirs;
    const facts = {
      round: round.ref,
      gameCode: theirs.gameCode,
      lastBookedAt: round.updatedAt.toISOString(),
    };
    return [{ kind: 'OPEN_HERE', subject: name, playerId, facts }];
  });
}

/** Identifies a round of a provider. */
export const nameOf = (playerId: string, round: string): string => `${playerId}:${round}`;

/** Removes differences that are explained by a rollback after the window. `undone`: the transactions that each side has rolled back. */
export const withoutUndone = (
  differences: readonly Difference[],
  undone: Readonly<Record<'THEIRS' | 'OURS', ReadonlySet<string>>>,
): Difference[] =>
  differences.filter(({ subject, unlessUndone }) => !(unlessUndone && undone[unlessUndone].has(subject)));

type TwoSides = { theirs?: ReportedTransaction; ours?: OwnTransaction };

function difference(kind: DifferenceKind, { theirs, ours }: TwoSides): Difference {
  const { transactionId, playerId } = (theirs ?? ours)!;
  return {
    kind,
    subject: transactionId,
    playerId: ours?.playerId ?? playerId,
    facts: {
      transactionId,
      theirs: theirs ? theirsShown(theirs) : null,
      ours: ours ? oursShown(ours) : null,
    },
  };
}

const shown = (one: { type: string; playerId: string; currencyId: string; amount: Units; at: Date }) => ({
  type: one.type,
  playerId: one.playerId,
  currencyId: one.currencyId,
  amount: formatUnits(one.amount),
  at: one.at.toISOString(),
});

const theirsShown = (theirs: ReportedTransaction) => ({
  ...shown(theirs),
  round: theirs.round,
  reference: theirs.reference,
  state: theirs.state,
  gameCode: theirs.gameCode,
  isRoundClosed: theirs.isRoundClosed,
  isFree: theirs.isFree,
});

const oursShown = (ours: OwnTransaction) => ({
  ...shown(ours),
  round: ours.round,
  reference: ours.reference,
  status: ours.status,
  refusal: ours.refusal,
});
