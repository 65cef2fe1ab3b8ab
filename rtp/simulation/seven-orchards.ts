import { LINE_BETS, playRound, REELS, STOPS } from '../../sandbox/games/seven-orchards.ts';
import { sevenOrchardsPrizes, triggerChance } from '../exact/seven-orchards.ts';
import { type Case, evenly, numbers, prizeCase, settle } from './case.ts';

let cases: readonly Case[] | undefined;

/** Returns the cases of the demo slot: rounds with their free spins. It is a function, because counting the reel windows takes a second. */
export function sevenOrchardsCases(): readonly Case[] {
  cases ??= [
    prizeCase({
      game: 'seven-orchards',
      name: 'ten lines',
      prizes: sevenOrchardsPrizes(),
      spreads: [
        ...REELS.map((_, reel) => evenly(`reel ${reel + 1}`, numbers(0, STOPS - 1))),
        {
          what: 'free spins',
          labels: ['none', 'started'],
          chances: [1 - triggerChance(), triggerChance()],
          drawn: 1,
        },
      ],
      play({ next }, recorder) {
        const { spins, freeSpins, lineBets } = playRound(next);
        for (const [reel, stop] of spins[0]!.stops.entries()) recorder.mark(reel, stop);
        recorder.mark(REELS.length, freeSpins > 0 ? 1 : 0);
        settle(recorder, { multiplier: BigInt(lineBets), scale: BigInt(LINE_BETS) });
      },
    }),
  ];
  return cases;
}
