import type { z } from 'zod';
import { commonErrors } from '../../../../platform/errors.ts';
import { isTooMuch, parseUnits, type Units } from '../../../../platform/money.ts';
import type { Currencies } from '../../../money/currencies/service.ts';
import { type Betting, type Bettor, resultOf } from '../../betting/play.ts';
import { usdDecimals } from '../../betting/rules.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { playRoulette, type RouletteStake, rouletteStakes, totalOf } from './rules.ts';
import type { RouletteBet, RouletteConfig, RouletteResult } from './schemas.ts';

export type Roulette = ReturnType<typeof createRoulette>;
type Body = z.output<typeof RouletteBet>;
type Deps = { games: HouseGames; betting: Betting; currencies: Pick<Currencies, 'get'> };

export function createRoulette({ games, betting, currencies }: Deps) {
  return {
    config: (): z.input<typeof RouletteConfig> => limitsOf(games.get('roulette').settings),

    async bet(by: Bettor, body: Body): Promise<z.input<typeof RouletteResult>> {
      const decimals = usdDecimals(currencies.get(body.currencyId).decimals);
      // Too much to be added up: the range refuses it.
      const { stakes, total } = isTooMuch(body.betAmount, decimals)
        ? { stakes: [], total: 0n }
        : stakesOf(body, decimals);
      return betting.play({
        by,
        game: games.get('roulette'),
        body,
        inputs: body.params,
        play: ({ serverSeed, clientSeed }, nonce) =>
          playRoulette(stakes, total, firstNumber(serverSeed, clientSeed, nonce)),
        answer: resultOf,
      });
    },
  };
}

/** The entries and their sum, which has to be the bet. Throws 400 with the path of what is wrong. */
function stakesOf({ betAmount, params }: Body, decimals: number): { stakes: RouletteStake[]; total: Units } {
  const stakes = rouletteStakes(params.bets, decimals);
  if (!Array.isArray(stakes)) throw invalid(`params.bets.${stakes.path}`, stakes.message);
  const total = totalOf(stakes);
  if (parseUnits(betAmount) !== total) throw invalid('betAmount', 'needs to be the sum of the amounts');
  return { stakes, total };
}

function invalid(path: string, message: string) {
  return commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });
}
