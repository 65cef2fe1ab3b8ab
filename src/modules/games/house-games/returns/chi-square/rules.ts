/**
 * Q(a, x) = Γ(a, x) / Γ(a), the upper regularised incomplete gamma function for a ≥ 1/2, x ≥ 0. Uses its series below a + 1 and its
 * continued fraction (modified Lentz) above. Exact to about 13 digits.
 */
export function upperGamma(a: number, x: number): number {
  const factor = Math.exp(a * Math.log(x) - x - logGamma(a));
  // Stryker disable next-line EqualityOperator,ArithmeticOperator: around a + 1 both are equally exact
  return x < a + 1 ? 1 - factor * lowerSeries(a, x) : factor * upperFraction(a, x);
}

/** Returns the probability that a chi-square variable with `degrees` degrees of freedom is `value` or more. */
export function chiSquareTail(value: number, degrees: number): number {
  return upperGamma(degrees / 2, value / 2);
}

export type ChiSquare = { statistic: number; degrees: number; p: number };

/**
 * Tests the counts of `rounds` rounds. Each round drew `drawn` different positions of N = counts.length, all equally likely. p is the
 * probability of counts at least as uneven. Drawing without replacement lowers the variance of the counts by (N − drawn) / (N − 1). With e
 * = rounds × drawn / N, the statistic Σ (seen − e)² / e × (N − 1) / (N − drawn) is therefore chi-square with N − 1 degrees of freedom. For
 * one drawn position it is Pearson's.
 */
export function drawnChiSquare(counts: readonly number[], rounds: number, drawn: number): ChiSquare {
  const n = counts.length;
  const expected = (rounds * drawn) / n;
  const variance = (rounds * drawn * (n - drawn)) / (n * (n - 1));
  const statistic = counts.reduce((sum, seen) => sum + (seen - expected) ** 2, 0) / variance;
  return { statistic, degrees: n - 1, p: chiSquareTail(statistic, n - 1) };
}

const ENOUGH = 1e-15;
const TINY = 1e-300;
const MOST_TERMS = 100_000;

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  // Stryker disable next-line EqualityOperator: no term is exactly the bound
  for (let n = 1; term > sum * ENOUGH; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  // Stryker disable next-line EqualityOperator: one term more or less of so many
  for (let n = 1; n < MOST_TERMS; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / nonZero(numerator * d + b);
    c = nonZero(b + numerator / c);
    fraction *= c * d;
    // Stryker disable next-line EqualityOperator: no factor is exactly the bound
    if (Math.abs(c * d - 1) < ENOUGH) break;
  }
  return fraction;
}

// Stryker disable next-line ConditionalExpression,EqualityOperator: a guard for denominators that no known argument makes
const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** Lanczos, g = 7, nine coefficients (Godfrey): 15 digits for a ≥ 1/2. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(a: number): number {
  const x = a - 1;
  const sum = LANCZOS.reduce((s, c, i) => s + c / (x + i));
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
