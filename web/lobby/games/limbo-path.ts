/** The curve that the rocket follows, in the units of the drawing (876 × 580). */
const POINTS = [
  [0, 560],
  [300, 556],
  [560, 470],
  [744, 150],
] as const;
export const CURVE = 'M0 560C300 556 560 470 744 150';

/** Returns a coordinate of the curve (0: x, 1: y) at its part t, or the direction there. */
function coordinate(axis: 0 | 1, t: number): number {
  const [a, b, c, d] = POINTS.map((point) => point[axis]) as [number, number, number, number];
  const u = 1 - t;
  return u ** 3 * a + 3 * u ** 2 * t * b + 3 * u * t ** 2 * c + t ** 3 * d;
}

function slope(axis: 0 | 1, t: number): number {
  const [a, b, c, d] = POINTS.map((point) => point[axis]) as [number, number, number, number];
  const u = 1 - t;
  return 3 * u ** 2 * (b - a) + 6 * u * t * (c - b) + 3 * t ** 2 * (d - c);
}

/** Returns the place on the curve at its part t, and the direction of flight in degrees from straight up. */
export const placeAt = (t: number) => ({
  x: coordinate(0, t),
  y: coordinate(1, t),
  degrees: 90 + (Math.atan2(slope(1, t), slope(0, t)) * 180) / Math.PI,
});

const START = 0.4;
/** The target is always at the same height. Above it the curve nears its end. */
const AT_TARGET = 0.66;

/** Returns the part of the curve for a multiplier. The scale is logarithmic up to the target. */
export function partOf(multiplier: number, target: number): number {
  const [now, goal] = [Math.log(multiplier), Math.log(target)];
  if (now <= goal) return START + (AT_TARGET - START) * (now / goal);
  return AT_TARGET + (1 - AT_TARGET) * (1 - Math.exp(goal - now));
}
