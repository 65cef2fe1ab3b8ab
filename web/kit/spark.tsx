const WIDTH = 600;
const HEIGHT = 64;
const PADDING = 4;

/** A line without axes, next to the figures that it draws. Renders nothing if the line would be flat. */
export function Spark({ of: values }: { of: readonly number[] }) {
  if (new Set(values).size < 2) return null;
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={pointsOf(values)} />
    </svg>
  );
}

function pointsOf(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) => HEIGHT - PADDING - ((value - low) / (high - low)) * (HEIGHT - 2 * PADDING);
  return values
    .map((value, at) => `${((at / (values.length - 1)) * WIDTH).toFixed(1)},${y(value).toFixed(1)}`)
    .join(' ');
}
