import { networkOf } from './addresses.ts';
import type { Rates } from './play.ts';
import { coins, type Player } from './player.ts';
import type { Random } from './random.ts';

/** Sends a signed webhook as the payment provider does, with the current date. */
export type Notice = (kind: 'deposit', body: object) => Promise<number>;

type DepositStatus =
  | 'DETECTED'
  | 'CONFIRMING'
  | 'COMPLETED'
  | 'PARTIALLY_PAID'
  | 'EXPIRED'
  | 'FAILED'
  | 'REVERSED';

/** Creates functions that make players' deposits and withdrawals. */
export function createMoney({
  random,
  rates,
  notice,
  now,
}: {
  random: Random;
  rates: Rates;
  notice: Notice;
  now: () => Date;
}) {
  const addressOf = async (player: Player): Promise<string | undefined> => {
    if (player.payAddress) return player.payAddress;
    const query = { currencyId: player.coin, networkId: networkOf(player.coin) };
    const given = await player.try('GET /payments/deposit/address', { query });
    player.payAddress = given?.payAddress;
    return player.payAddress;
  };

  const hash = () => Buffer.from(random.bytes(32)).toString('hex');

  return {
    async deposit(
      player: Player,
      { status = 'COMPLETED' as DepositStatus, usd = Math.max(12, random.around(player.budget)) } = {},
    ) {
      const payAddress = await addressOf(player);
      if (!payAddress) return;
      const about = {
        externalId: Buffer.from(random.bytes(8)).toString('hex'),
        payAddress,
        currencyId: player.coin,
        networkId: networkOf(player.coin),
        amount: coins(usd, player.coin, rates),
        txHash: hash(),
        occurredAt: now().toISOString(),
      };
      const course: readonly DepositStatus[] = status === 'REVERSED' ? ['COMPLETED', 'REVERSED'] : [status];
      for (const one of course)
        await notice('deposit', { ...about, status: one, confirmations: one === 'COMPLETED' ? 20 : 1 });
      if (status === 'COMPLETED') player.cash += usd;
    },

    /** Requests a withdrawal of part of the player's balance. Returns the withdrawal's id if the request was accepted. */
    async withdraw(player: Player, share = 0.3 + random.next() * 0.6): Promise<string | undefined> {
      const { coin: currencyId, recipient: recipientAddress } = player;
      const may = await player.try('GET /payments/withdraw/eligibility', { query: { currencyId } });
      if (!may?.canWithdraw) return undefined;
      const amount = (Number(may.available) * share).toFixed(currencyId === 'USDT' ? 2 : 6);
      if (Number(amount) < Number(may.minAmount) * 1.5) return undefined;
      const made = await player.try('POST /payments/withdraw', {
        body: { currencyId, networkId: networkOf(currencyId), amount, recipientAddress },
      });
      return made?.id;
    },
  };
}
