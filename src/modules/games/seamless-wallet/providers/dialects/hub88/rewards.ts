import type { z } from 'zod';
import { NotSent } from '../../../../../../platform/net/outbound.ts';
import type { FreeRounds, FreeRoundsOrder } from '../../provider.ts';
import { HUB88_DECIMALS, integerOf, providerUnitsOf } from '../amounts/rules.ts';
import { wireInteger } from '../body.ts';
import { type Currencies, codeOf } from '../client.ts';
import { Prepaids, Reward, Rewards } from './schemas.ts';

type Post = <S extends z.ZodType>(path: string, fields: object, schema: S) => Promise<z.output<S>>;
type Withdraw = (path: string, fields: object) => Promise<void>;

/** Maximum number of a player's rewards that are searched for ours. */
const MAX_REWARDS = 1000;

/** Free rounds through Hub88's Freebets API: a reward made from a prepaid of the game, with our reference. */
export function createRewards(parts: { post: Post; withdraw: Withdraw; currencies: Currencies }): FreeRounds {
  const { post, withdraw, currencies } = parts;
  /** Hub88 assigns the id of a reward. After a timeout the reward is found by our reference. */
  async function find({ id, userId }: FreeRoundsOrder): Promise<string | undefined> {
    const wanted = { user: String(userId), pagination: { limit: MAX_REWARDS } };
    const { rewards } = await post('/freebet/rewards/list', wanted, Rewards);
    return rewards.find(({ operator_reference }) => operator_reference === id)?.reward_uuid;
  }

  async function create(order: FreeRoundsOrder): Promise<string> {
    const { id, userId, currencyId, gameCode, rounds, bet, validUntil } = order;
    const currency = codeOf(currencies, currencyId);
    const { factor } = currencies.byOurs(currencyId)!;
    const value = providerUnitsOf(bet, { factor, decimals: HUB88_DECIMALS });
    const prepaids = await post('/freebet/prepaids/list', { game_code: gameCode }, Prepaids);
    const prepaid = prepaids.find(
      (one) =>
        one.game_code === gameCode &&
        one.currency === currency &&
        (one.bet_value == null || integerOf(one.bet_value) === value) &&
        (one.bet_count == null || one.bet_count === rounds),
    );
    if (!prepaid) throw new NotSent(`has no prepaid of ${rounds} rounds on ${gameCode} in ${currency}`);
    const reward = {
      user: String(userId),
      prepaid_uuid: prepaid.prepaid_uuid,
      game_code: gameCode,
      currency,
      bet_value: wireInteger(value),
      bet_count: rounds,
      end_time: validUntil.toISOString(),
      operator_reference: id,
    };
    return (await post('/freebet/rewards/create', reward, Reward)).reward_uuid;
  }

  return {
    endBy: 'ROUNDS',
    give: async (order) => (await find(order)) ?? (await create(order)),
    async withdraw(order, reference) {
      const reward_uuid = reference ?? (await find(order));
      if (reward_uuid !== undefined) await withdraw('/freebet/rewards/cancel', { reward_uuid });
    },
  };
}
