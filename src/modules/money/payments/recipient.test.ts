import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { RECIPIENTS, startPayer, withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { methodOf, recipientOf } from './recipient.ts';

let app: typeof payer.app;
const payer = fixture(startPayer);
beforeAll(() => {
  ({ app } = payer);
});

const reasonOf = async (currencyId: string, networkId: string, recipientAddress: string, memo?: string) => {
  const method = methodOf(app.services.currencies, currencyId, networkId);
  const fields = { recipientAddress, ...(memo && { recipientMemo: memo }) };
  const checked = recipientOf(app.db, method, fields);
  return checked.then(
    () => 'paid',
    ({ code, details }) => (code === 'RECIPIENT_ADDRESS_INVALID' ? details.reason : code),
  );
};

describe('rejects addresses from which coins cannot be recovered', () => {
  test.each([
    ['USDT', 'ethereum', '0x0000000000000000000000000000000000000000', 'BURN_ADDRESS'],
    ['ETH', 'ethereum', '0x000000000000000000000000000000000000dEaD', 'BURN_ADDRESS'],
    ['BNB', 'bsc', '0x0000000000000000000000000000000000000001', 'BURN_ADDRESS'],
    ['ETH', 'bsc', '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead', 'BURN_ADDRESS'],
    ['ETH', 'ethereum', '0xffffffffffffffffffffffffffffffffffffffff', 'BURN_ADDRESS'],
    ['ETH', 'ethereum', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', 'TOKEN_CONTRACT'],
    ['USDT', 'ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'TOKEN_CONTRACT'],
    ['USDT', 'ethereum', '0xdac17f958d2ee523a2206206994597c13d831ec7', 'TOKEN_CONTRACT'],
    ['USDT', 'bsc', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'TOKEN_CONTRACT'],
    ['USDT', 'bsc', '0x55d398326f99059fF775485246999027B3197955', 'TOKEN_CONTRACT'],
    ['USDC', 'ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'TOKEN_CONTRACT'],
    ['USDT', 'tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TOKEN_CONTRACT'],
    ['TRX', 'tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'BURN_ADDRESS'],
    ['TRX', 'tron', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'BURN_ADDRESS'],
    ['USDT', 'solana', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 'TOKEN_CONTRACT'],
    ['USDC', 'solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'TOKEN_CONTRACT'],
    ['ETH', 'ethereum', '0x00000000219ab540356cBB839Cbe05303d7705Fa', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'TOKEN_CONTRACT'],
    ['ETH', 'ethereum', '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0xE592427A0AEce92De3Edee1F18E0157C05861564', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0x000000000022D473030F116dDEE9F6B43aC78BA3', 'KNOWN_CONTRACT'],
    ['USDT', 'ethereum', '0x1111111254EEB25477B68fb85Ed929f73A960582', 'KNOWN_CONTRACT'],
    ['USDT', 'ethereum', '0x111111125421cA6dc452d289314280a0f8842A65', 'KNOWN_CONTRACT'],
    ['BNB', 'bsc', '0x10ED43C718714eb63d5aA57B78B54704E256024E', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 'KNOWN_CONTRACT'],
    ['BNB', 'bsc', '0xcA11bde05977b3631167028862bE2a173976CA11', 'KNOWN_CONTRACT'],
    ['ETH', 'ethereum', '0x4e59b44847b379578588920cA78FbF26c0B4956C', 'KNOWN_CONTRACT'],
    ['SOL', 'solana', 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'KNOWN_CONTRACT'],
    ['SOL', 'solana', 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4', 'KNOWN_CONTRACT'],
    ['SOL', 'solana', 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s', 'KNOWN_CONTRACT'],
    ['SOL', 'solana', '11111111111111111111111111111111', 'NOT_AN_ADDRESS'],
    ['SOL', 'solana', '1nc1nerator11111111111111111111111111111111', 'BURN_ADDRESS'],
    ['BTC', 'bitcoin', '1BitcoinEaterAddressDontSendf59kuE', 'BURN_ADDRESS'],
    ['BTC', 'bitcoin', '1111111111111111111114oLvT2', 'BURN_ADDRESS'],
    ['BTC', 'bitcoin', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs', 'NOT_AN_ADDRESS'],
    ['XRP', 'ripple', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp', 'NOT_AN_ADDRESS'],
  ])('checks the address %s on %s: %s', async (currencyId, networkId, address, reason) => {
    const memo = networkId === 'ripple' ? '7' : undefined;
    expect(await reasonOf(currencyId, networkId, address, memo)).toBe(reason);
  });
});

test('accepts ordinary addresses of every kind of network', async () => {
  const { tron, bitcoin, ethereum, ripple } = RECIPIENTS;
  for (const [currencyId, networkId, address, memo] of [
    ['USDT', 'tron', tron],
    ['BTC', 'bitcoin', bitcoin],
    ['BTC', 'bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['ETH', 'ethereum', ethereum],
    ['USDT', 'bsc', ethereum],
    ['XRP', 'ripple', ripple, '7'],
    ['SOL', 'solana', '4Nd1mYQYv8RwJp2cJ5e3uJw6bC1YQ5p2W7y8d1Qv7m3S'],
  ] as const)
    expect(await reasonOf(currencyId, networkId, address, memo), address).toBe('paid');
});

test("rejects a withdrawal to any player's deposit address, including the player's own", async () => {
  const [player, other] = [await app.newPlayer({ usdt: 100 }), await app.newPlayer()];
  for (const owner of [player, other]) {
    const made = await owner.call('GET', '/payments/deposit/address?currencyId=USDT&networkId=tron');
    const refused = await withdraw(player, { recipientAddress: made.body.payAddress });
    expect([codeOf(refused), refused.body.details]).toEqual([
      '400 RECIPIENT_ADDRESS_INVALID',
      { networkId: 'tron', reason: 'OWN_DEPOSIT_ADDRESS' },
    ]);
  }
});
