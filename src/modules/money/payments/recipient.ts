import type { DbOrTx } from '../../../platform/database/db.ts';
import type { Currencies } from '../currencies/service.ts';
import { addressKey } from './deposits/rules.ts';
import { paymentErrors, withdrawalErrors } from './errors.ts';

type Currency = ReturnType<Currencies['get']>;

/** A currency on a network, for deposits and withdrawals. */
export type Method = { currency: Currency; network: Currency['networks'][number] };

/** Returns a payment method. Throws 404 PAYMENT_METHOD_NOT_FOUND, even for disabled currencies. */
export function methodOf(currencies: Currencies, currencyId: string, networkId: string): Method {
  const currency = currencies.find(currencyId);
  const network = currency?.networks.find(({ id }) => id === networkId);
  if (!currency || !network) throw paymentErrors.PAYMENT_METHOD_NOT_FOUND({ currencyId, networkId });
  return { currency, network };
}

export type Recipient = { address: string; memo: string | null };

/**
 * Returns the validated recipient of a withdrawal or a returned deposit. Throws 400 RECIPIENT_ADDRESS_INVALID with a reason if the text is
 * not an address on the network, its checksum is wrong, or coins sent to it could not be recovered. Throws 400 RECIPIENT_MEMO_INVALID if a
 * memo is missing, malformed, or not used by the network.
 */
export async function recipientOf(
  db: DbOrTx,
  { network }: Pick<Method, 'network'>,
  {
    recipientAddress: address,
    recipientMemo: memo,
  }: { recipientAddress: string; recipientMemo?: string | undefined },
): Promise<Recipient> {
  const { addressKind: kind, memoRequired, id: networkId } = network;
  if (!kind || !(await isAddress(kind, address)))
    throw withdrawalErrors.RECIPIENT_ADDRESS_INVALID({ networkId, reason: 'NOT_AN_ADDRESS' });
  const reason = await unpayableReason(db, { kind, address });
  if (reason) throw withdrawalErrors.RECIPIENT_ADDRESS_INVALID({ networkId, reason });
  const isGood = memoRequired ? memo !== undefined && isMemo(kind, memo) : memo === undefined;
  if (!isGood) throw withdrawalErrors.RECIPIENT_MEMO_INVALID({ networkId, memoRequired });
  return { address, memo: memo ?? null };
}

async function isAddress(kind: string, address: string): Promise<boolean> {
  // X-addresses of the XRP Ledger contain a tag, which could contradict the memo.
  if (kind === 'xrp' && !address.startsWith('r')) return false;
  // The library accepts a CashAddr address even if its checksum is wrong.
  if (kind === 'bch' && !/^[13]/.test(address)) return isCashAddress(address);
  const { default: validator } = await import('multicoin-address-validator');
  return validator.validate(address, kind);
}

/** The destination tag of the XRP Ledger is a 32-bit integer. On other networks, a memo is text. */
export const isMemo = (kind: string | null, memo: string): boolean =>
  kind === 'xrp'
    ? /^(0|[1-9]\d{0,9})$/.test(memo) && Number(memo) < 2 ** 32
    : /^[\x20-\x7E]{1,100}$/.test(memo);

const CASH_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CASH_ADDRESS = /^(?:bitcoincash:)?([qp][02-9ac-hj-np-z]{41})$/;
const CASH_GENERATOR = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** Returns true if a text is a Bitcoin Cash address in the CashAddr format with a correct checksum. */
function isCashAddress(text: string): boolean {
  const payload = CASH_ADDRESS.exec(text)?.[1];
  if (!payload) return false;
  const prefix = [...'bitcoincash'].map((letter) => letter.charCodeAt(0) & 31);
  const values = [...prefix, 0, ...[...payload].map((letter) => CASH_LETTERS.indexOf(letter))];
  const sum = values.reduce((before, value) => {
    const top = before >> 35n;
    const next = ((before & 0x07_ffff_ffffn) << 5n) ^ BigInt(value);
    return CASH_GENERATOR.reduce((all, part, i) => ((top >> BigInt(i)) & 1n ? all ^ part : all), next);
  }, 1n);
  return sum === 1n;
}

/** The reason why a valid address is never paid. It is returned as `details.reason` of RECIPIENT_ADDRESS_INVALID. */
type UnpayableReason = 'BURN_ADDRESS' | 'TOKEN_CONTRACT' | 'KNOWN_CONTRACT' | 'OWN_DEPOSIT_ADDRESS';

/**
 * Returns the reason why coins sent to an address could not be recovered, or undefined if the address can be paid. Used for every payment
 * to an address that a person entered, which means withdrawals and returned deposits. `kind` is the network's address kind.
 */
async function unpayableReason(
  db: DbOrTx,
  { kind, address }: { kind: string; address: string },
): Promise<UnpayableReason | undefined> {
  if (KNOWN_CONTRACTS.has(addressKey(address))) return 'KNOWN_CONTRACT';
  if (isBurnAddress(kind, address)) return 'BURN_ADDRESS';
  if (CONTRACTS.has(addressKey(address))) return 'TOKEN_CONTRACT';
  // The memo does not matter, because the address itself belongs to us.
  return (await hasOwner(db, addressKey(address))) ? 'OWN_DEPOSIT_ADDRESS' : undefined;
}

/** Contracts and mints of the listed currencies. A contract on one EVM network is a wrong recipient on every other EVM network too. */
const CONTRACTS: ReadonlySet<string> = new Set(
  [
    // Ethereum: USDT, USDC, WETH, BNB.
    '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    '0xB8c77482e45F1F44dE1745F52C74426C631bDD52',
    // BNB Smart Chain: USDT, USDC, ETH, WBNB.
    '0x55d398326f99059fF775485246999027B3197955',
    '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
    '0x2170Ed0880ac9A755fd29B2688956BD959F933F8',
    '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
    // The placeholder that user interfaces use for native ETH.
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    // Tron: USDT, USDC, WTRX.
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8',
    'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR',
    // Solana: USDT, USDC, wrapped SOL, the token programs.
    'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'So11111111111111111111111111111111111111112',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  ].map(addressKey),
);

/**
 * Widely used contracts that are not wallets. Coins sent directly to such a contract are lost or can be claimed by its next caller. The
 * projects publish these addresses. A test verifies the checksums to detect typing errors.
 */
const KNOWN_CONTRACTS: ReadonlySet<string> = new Set(
  [
    // Ethereum staking deposits (ethereum.org/staking/deposit-contract).
    '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    // Uniswap V2 router, V3 routers, Universal Router, Permit2 (docs.uniswap.org/contracts).
    '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
    '0xE592427A0AEce92De3Edee1F18E0157C05861564',
    '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
    '0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD',
    '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    // 1inch aggregation routers V5 and V6 (portal.1inch.dev).
    '0x1111111254EEB25477B68fb85Ed929f73A960582',
    '0x111111125421cA6dc452d289314280a0f8842A65',
    // PancakeSwap router V2 on BNB Smart Chain (docs.pancakeswap.finance).
    '0x10ED43C718714eb63d5aA57B78B54704E256024E',
    // Lido stETH, DAI, WBTC (docs.lido.fi, docs.makerdao.com, wbtc.network).
    '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
    '0x6B175474E89094C44Da98b954EedeAC495271d0F',
    '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
    // Multicall3 and the deployment proxy, at the same address on every EVM network (multicall3.com).
    '0xcA11bde05977b3631167028862bE2a173976CA11',
    '0x4e59b44847b379578588920cA78FbF26c0B4956C',
    // Solana: the associated token program (spl.solana.com), Jupiter (dev.jup.ag), Metaplex metadata (developers.metaplex.com).
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
    'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  ].map(addressKey),
);

/** Known addresses for which no one holds a private key. */
const BURNS: ReadonlySet<string> = new Set(
  [
    '1BitcoinEaterAddressDontSendf59kuE',
    '0xdEAD000000000000000042069420694206942069',
    // The Tron account that receives burnt fees.
    'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
  ].map(addressKey),
);

/** A run of at least ten identical characters, as in burn and system addresses. It does not occur in addresses of real keys. */
const RUN = /(.)\1{9,}/;
const WORDS = /^0x(dead|beef){10}$/i;

function isBurnAddress(kind: string, address: string): boolean {
  if (BURNS.has(addressKey(address)) || WORDS.test(address)) return true;
  const hash = kind === 'eth' ? BigInt(address) : HASH160_KINDS.has(kind) ? hash160Of(address) : undefined;
  // Matches zero, precompiled contracts and 0x…dEaD, which have 18 bytes of zeros.
  if (hash !== undefined && hash >> 16n === 0n) return true;
  return !CONTRACTS.has(addressKey(address)) && RUN.test(address);
}

/** Address kinds whose base58 addresses consist of a version byte, a hash of 20 bytes and a checksum of 4 bytes. */
const HASH160_KINDS: ReadonlySet<string> = new Set(['btc', 'ltc', 'doge', 'bch', 'trx']);
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns the hash in a base58 address, or undefined for other formats (bech32, CashAddr). */
function hash160Of(address: string): bigint | undefined {
  let number = 0n;
  for (const letter of address) {
    const digit = BASE58.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  return (number >> 32n) & ((1n << 160n) - 1n);
}

/** Returns true if an address is the deposit address of any player. */
async function hasOwner(db: DbOrTx, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('deposit_addresses')
    .select('user_id')
    .where('address_key', '=', key)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
