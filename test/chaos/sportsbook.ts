import { randomUUID } from 'node:crypto';
import type { Person } from '../kit/processes/visitors.ts';
import type { World } from './world.ts';

/** A transaction that the test sends through the sandbox's sportsbook (POST /games/sportsbook/transactions). */
type Sent = { id: string; reason: string; amount: string; betId: string; parentId?: string };
/** One settlement of a bet, or its reversal. */
type Step = Omit<Sent, 'betId'>;

const END_AT_ONCE = 20;

/**
 * Places bets at the sportsbook. Each bet is settled, resettled, cancelled and rolled back, often out of order, concurrently or twice. A
 * transaction that the platform rejects must be rejected in both books.
 */
export function createSportsbookPlay({ outside }: Pick<World, 'outside'>, random: () => number) {
  const counts = { sportsBets: 0, sportsCalls: 0, sportsRefusals: 0, unseenCalls: 0 };
  const bets: { betId: string; playerId: string }[] = [];
  const chance = (of: number) => random() < of;
  const upTo = (most: number) => Math.floor(random() * most);

  const send = async (playerId: string, sent: Sent): Promise<void> => {
    counts.sportsCalls++;
    const said = await outside('POST', '/games/sportsbook/transactions', {
      ...sent,
      playerId,
      currency: 'USDT',
    }).catch(() => undefined);
    if (said === undefined) counts.unseenCalls++;
    else if (said.state === 'REFUSED') counts.sportsRefusals++;
  };

  /** Returns the steps of a bet in their logical order. */
  function courseOf(betId: string): Step[] {
    const named = (name: string, reason: string, units: number): Step => ({
      id: `${betId}_${name}`,
      reason,
      amount: String(units / 10),
    });
    const isFree = chance(0.15);
    const course = [named('bet', isFree ? 'freebet' : 'bet', isFree && chance(0.7) ? 0 : 5 + upTo(20))];
    const reasons = isFree
      ? ['freebet-settle']
      : ['settle', 'settle', 'settle', 'cash-out', 'void', 'partial'];
    let paid = upTo(4) * 5;
    course.push(named('settlement_0', reasons[upTo(reasons.length)]!, paid));
    for (let n = 1; chance(0.4); n++) {
      const change = chance(0.5) ? -upTo(paid + 1) : upTo(15);
      paid += change;
      course.push(named(`settlement_${n}`, 'resettle', change));
    }
    if (chance(0.3)) course.push(named('cancel', 'cancelsettle', paid), named('anew', 'settle', upTo(20)));
    if (chance(0.3)) {
      const parent = course[upTo(course.length)]!;
      course.push({ ...named('back', 'rollback', 0), parentId: parent.id });
    }
    if (chance(0.2)) course.push(named('bonus', chance(0.6) ? 'award' : 'retract', upTo(20)));
    return course;
  }

  /** Swaps adjacent steps and repeats some. */
  function shuffled(course: readonly Step[]): Step[] {
    const order = [...course];
    for (let at = 1; at < order.length; at++)
      if (chance(0.25)) [order[at - 1], order[at]] = [order[at]!, order[at - 1]!];
    return order.flatMap((step, at) => (chance(0.2) ? [step, order[upTo(at + 1)]!] : [step]));
  }

  return {
    counts,
    async bet({ id }: Person): Promise<void> {
      const [playerId, betId] = [String(id), `s-${randomUUID()}`];
      bets.push({ betId, playerId });
      counts.sportsBets++;
      const order = shuffled(courseOf(betId));
      while (order.length > 0) {
        const together = order.splice(0, chance(0.25) ? 2 : 1);
        await Promise.all(together.map((step) => send(playerId, { ...step, betId })));
      }
    },
    /** Settles every open bet as lost. */
    async endAll(): Promise<void> {
      for (let at = 0; at < bets.length; at += END_AT_ONCE)
        await Promise.all(
          bets
            .slice(at, at + END_AT_ONCE)
            .map(({ betId, playerId }) =>
              send(playerId, { id: `${betId}_end`, reason: 'settle', amount: '0', betId }),
            ),
        );
    },
  };
}
