import { randomUUID } from 'node:crypto';
import type { Person } from '../kit/visitors.ts';
import type { World } from './world.ts';

/** What the sandbox's sportsbook is told to send (POST /games/sportsbook/transactions). */
type Sent = { id: string; reason: string; amount: string; betId: string; parentId?: string };
/** One settlement of a bet, or what takes it back. */
type Step = Omit<Sent, 'betId'>;

const END_AT_ONCE = 20;

/**
 * Bets of the sportsbook: each is placed, settled, settled otherwise, cancelled and taken back, much of it in the wrong order, at once or
 * twice. What the platform refuses is refused in both books.
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

  /** What becomes of a bet, in the order in which it makes sense. */
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

  /** Neighbours change places, and some of it comes again. */
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
    /** Every bet that is still open is lost. */
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
