/** Runs `work` while repeating each of `others`. Waits until all of them have ended. Fails if `work` or any of the others fails. */
export async function meanwhile<T>(
  work: () => Promise<T>,
  others: readonly (() => Promise<unknown>)[],
): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  const repeat = async (other: () => Promise<unknown>) => {
    while (!isOver) await other();
  };
  const repeating = others.map((other) => repeat(other).finally(over));
  const working = work().finally(over);
  await Promise.allSettled([...repeating, working]);
  await Promise.all(repeating);
  return working;
}
