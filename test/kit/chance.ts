/** The random stream and exact chances, written a second time for tests to compare with: nothing of src/ is used. */
import { createHmac } from 'node:crypto';

export type Seeds = { serverSeed: string; clientSeed: string };

/** u[0], u[1] … of a bet. */
export function numbersOf({ serverSeed, clientSeed }: Seeds, nonce: number): () => number {
  let i = 0;
  return () => {
    const message = `${clientSeed}:${nonce}:${Math.floor(i / 8)}`;
    const block = createHmac('sha256', Buffer.from(serverSeed)).update(message).digest();
    return block.readUInt32BE((i++ % 8) * 4);
  };
}

/** `count` of the integers first … last, in order of drawing. */
export function drawn([first, last]: readonly [number, number], count: number, next: () => number): number[] {
  const left = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return Array.from({ length: count }, () => {
    const at = Number((BigInt(next()) * BigInt(left.length)) >> 32n);
    return left.splice(at, 1)[0]!;
  });
}

/** A stream on which the i-th draw takes the position that is given for it among those left. */
export function positions(list: readonly number[], places: number): () => number {
  let i = 0;
  return () => {
    const left = places - i;
    return Number((BigInt(list[i++]!) * 2n ** 32n + BigInt(left) - 1n) / BigInt(left));
  };
}

/** Every way to draw k of n, each as the positions among what is left. */
export function allDraws(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  return Array.from({ length: n }, (_, at) => at).flatMap((at) =>
    allDraws(n - 1, k - 1).map((rest) => [at, ...rest]),
  );
}

/** C(n, k) */
export function choose(n: bigint, k: bigint): bigint {
  let value = 1n;
  for (let i = 1n; i <= k; i++) value = (value * (n - k + i)) / i;
  return value;
}

export type Share = { value: bigint; whole: bigint };

/** value / whole in percent, rounded half up at six digits. */
export function sixDigits({ value, whole }: Share): string {
  const millionths = (value * 100_000_000n * 2n + whole) / (whole * 2n);
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`;
}

/** Order of shares by their size, exactly. */
export function bySize(x: Share, y: Share): number {
  const difference = x.value * y.whole - y.value * x.whole;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** What a rule refuses with: "409 ACTION_NOT_ALLOWED". */
export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    const { status, code } = error as { status: number; code: string };
    return `${status} ${code}`;
  }
  return 'done';
}
