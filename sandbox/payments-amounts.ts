/** Exact coin amounts in units of 10^-18, the finest unit of any chain. */
const DECIMALS = 18;
const PATTERN = /^(0|[1-9]\d{0,20})(?:\.(\d{1,18}))?$/;

/** Parses a plain decimal string. Returns undefined for any other string. */
export function parseAmount(text: unknown): bigint | undefined {
  const match = typeof text === 'string' ? PATTERN.exec(text) : null;
  if (!match) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** Returns a plain decimal string without trailing zeros. */
export function formatAmount(amount: bigint): string {
  const sign = amount < 0n ? '-' : '';
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return sign + digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}
