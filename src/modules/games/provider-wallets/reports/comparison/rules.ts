import { formatUnits, type Units } from '../../../../../platform/money.ts';
import type { ReportedTransaction, Round } from '../../rules.ts';

/** A transaction in our books. `at`: when it was booked. */
export type OwnTransaction = {
  transactionId: string;
  /** Of `provider_transactions`; FREE_BET and FREE_WIN too. */
  type: string;
  status: 'DONE' | 'REFUSED' | 'UNDONE' | 'TOMBSTONE';
  refusal: string | null;
  playerId: string;
  currencyId: string;
  amount: Units;
  round: string | null;
  reference: string | null;
  at: Date;
  /** Of a ROLLBACK: what it names was carried out before, and is undone by it. */
  hasEffect: boolean;
};

export type OwnRound = Pick<Round, 'ref' | 'status'> & { playerId: string; updatedAt: Date };

/** From one time (inclusive) to another (exclusive). */
export type Window = { from: Date; to: Date };

/**
 * The provider's books of a window; and ours: every transaction that is named there or was booked in it, whatever its time, and the rounds
 * that are said to have ended.
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
  /** The transaction; of OPEN_HERE player and round. */
  subject: string;
  /** As the provider names the player. */
  playerId: string;
  facts: object;
  /** It is none if a rollback of the transaction follows after the window, in whose books this says. */
  unlessUndone?: 'THEIRS' | 'OURS';
};

/** Clocks differ by so much at most. */
export const CLOCKS_MS = 5 * 60_000;

/** What is called otherwise in reports. A win of free rounds may be reported as either kind of free win. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  BET: ['BET'],
  FREE_BET: ['BET', 'FREE_BET'],
  WIN: ['WIN'],
  FREE_WIN: ['WIN', 'FREE_WIN', 'FREE_SPIN_WIN'],
  FREE_SPIN_WIN: ['FREE_SPIN_WIN', 'FREE_WIN'],
};

type Sides = {
  here: ReadonlyMap<string, OwnTransaction>;
  there: ReadonlyMap<string, ReportedTransaction>;
  /** Rollbacks by what they name. */
  undoneHere: ReadonlyMap<string, OwnTransaction>;
  undoneThere: ReadonlyMap<string, ReportedTransaction>;
};

/** What differs; each difference is named once, by what would mend it. */
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

const stands = (ours: OwnTransaction | undefined): boolean => ours?.status === 'DONE';

/** What was taken back there, or takes back what does not stand here, would change nothing. */
function missingHere({ here }: Sides, theirs: ReportedTransaction): Difference[] {
  if (theirs.state !== 'DONE') return [];
  if (theirs.type === 'ROLLBACK' && theirs.reference !== null && !stands(here.get(theirs.reference)))
    return [];
  return [difference('MISSING_HERE', { theirs })];
}

/** Within the window by any clock, and not reported at all. */
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
    ...(isBooked && !saySame(theirs, ours) ? [difference('AMOUNT', { theirs, ours })] : []),
    ...stateOf(sides, theirs, ours),
  ];
}

/** A rollback is of what it names, whatever amount it says. */
const saySame = (theirs: ReportedTransaction, ours: OwnTransaction): boolean =>
  (ALIKE[ours.type] ?? [ours.type]).includes(theirs.type) &&
  theirs.playerId === ours.playerId &&
  theirs.currencyId === ours.currencyId &&
  (ours.type === 'ROLLBACK' || theirs.amount === ours.amount);

/** A rollback that one side lacks is a difference of its own, and names what it takes back. */
function stateOf(sides: Sides, theirs: ReportedTransaction, ours: OwnTransaction): Difference[] {
  const { transactionId: id } = theirs;
  if ((theirs.state === 'DONE') === stands(ours)) return [];
  const found = difference('STATE', { theirs, ours });
  if (ours.status === 'REFUSED') return [found];
  if (stands(ours)) {
    const rollback = sides.undoneThere.get(id);
    if (!rollback) return [{ ...found, unlessUndone: 'THEIRS' }];
    return stands(sides.here.get(rollback.transactionId)) ? [found] : [];
  }
  const rollback = sides.undoneHere.get(id);
  if (!rollback) return [{ ...found, unlessUndone: 'OURS' }];
  return sides.there.has(rollback.transactionId) ? [found] : [];
}

type Ended = { window: Window; found: readonly Difference[] };

/** Rounds that have ended there, and not here; where a transaction of theirs differs, that is why. */
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

/** What names a round among those of a provider. */
export const nameOf = (playerId: string, round: string): string => `${playerId}:${round}`;

/** Differences whose transaction is not taken back after the window. `undone`: what is, by whose books. */
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
