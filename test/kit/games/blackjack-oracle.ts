import { ONE } from '../../../src/platform/money.ts';

/** Amounts are in units of US dollars, and the bet's currency is also the US dollar. */
type Stakes = { betUsd: bigint; side: { usd: bigint } | undefined; maxProfitUsd: bigint };

/** Independent implementation of blackjack that deals like a dealer with real cards. It shares no code with the module. */
export function createOracle(deck: readonly number[], terms: Stakes) {
  const pile = [...deck];
  const mine: number[][] = [[]];
  mine[0]!.push(pile.shift()!, pile.shift()!);
  const house = [pile.shift()!, pile.shift()!];
  const [first, second] = mine[0] as [number, number];
  const rank = (card: number) => ((card - 1) % 13) + 1;
  const count = (hand: readonly number[]) => {
    let total = 0;
    let aces = 0;
    for (const card of hand) {
      total += rank(card) === 1 ? 11 : Math.min(rank(card), 10);
      if (rank(card) === 1) aces++;
    }
    while (total > 21 && aces-- > 0) total -= 10;
    return { total, soft: aces > 0 };
  };
  const pips = (card: number) => Math.min(rank(card), 10);
  const houseNatural = count(house).total === 21;
  const myNatural = count(mine[0]!).total === 21;
  let offer = rank(house[0]!) === 1;
  let turn = 0;
  let doubled = false;
  let insured = false;
  let over = !offer && (houseNatural || myNatural);

  const moveOn = () => {
    while (turn < mine.length) {
      const hand = mine[turn]!;
      const stuck = count(hand).total >= 21 || doubled || (mine.length === 2 && rank(hand[0]!) === 1);
      if (!stuck) return;
      turn++;
    }
    over = true;
    if (mine.some((hand) => count(hand).total <= 21))
      while (count(house).total < 17 || (count(house).total === 17 && count(house).soft))
        house.push(pile.shift()!);
  };

  return {
    allowed(): string[] {
      if (over) return [];
      if (myNatural) return ['STAND', 'INSURANCE'];
      const fresh = mine.length === 1 && mine[0]!.length === 2;
      const isHard = fresh && rank(first) !== 1 && rank(second) !== 1;
      const list = ['HIT', 'STAND'];
      if (isHard && [10, 11].includes(pips(first) + pips(second))) list.push('DOUBLE');
      if (fresh && pips(first) === pips(second)) list.push('SPLIT');
      if (offer) list.push('INSURANCE');
      return list;
    },
    act(action: string): void {
      const looked = offer;
      offer = false;
      if (looked && action === 'INSURANCE') insured = true;
      if (looked && (houseNatural || myNatural)) over = true;
      if (over || action === 'INSURANCE') return;
      const hand = mine[turn]!;
      if (action === 'STAND') turn++;
      if (action === 'HIT') hand.push(pile.shift()!);
      if (action === 'DOUBLE') {
        doubled = true;
        hand.push(pile.shift()!);
      }
      if (action === 'SPLIT') {
        mine.push([hand.pop()!]);
        mine[0]!.push(pile.shift()!);
        mine[1]!.push(pile.shift()!);
      }
      moveOn();
    },
    account(): { staked: bigint; payout: bigint; payoutUsd: bigint } {
      const cent = ONE / 100n;
      const floor = (amount: bigint) => (amount / cent) * cent;
      const bet = terms.betUsd;
      const side = terms.side?.usd ?? 0n;
      let staked = bet * BigInt(mine.length) + (doubled ? bet : 0n) + side;
      let back = 0n;
      for (const hand of mine) {
        const stake = doubled ? 2n * bet : bet;
        const isPat = mine.length === 1 && hand.length === 2 && count(hand).total === 21;
        const [own, other] = [count(hand).total, count(house).total];
        const houseHasNatural = house.length === 2 && other === 21;
        if (isPat) back += houseHasNatural ? stake : floor((stake * 5n) / 2n);
        else if (own > 21 || houseHasNatural) back += 0n;
        else if (other > 21 || own > other) back += 2n * stake;
        else if (own === other) back += stake;
      }
      if (insured) {
        staked += floor(bet / 2n);
        if (houseNatural) back += 3n * floor(bet / 2n);
      }
      const isRed = (card: number) => card < 27;
      if (rank(first) === rank(second)) back += side * (isRed(first) === isRed(second) ? 25n : 12n);
      const most = staked + terms.maxProfitUsd;
      const paid = back < most ? back : most;
      return { staked, payout: paid, payoutUsd: paid };
    },
  };
}
