/**
 * Node loads this file with `--import` to simulate a wrong system clock. The wall clock is off by CLOCK_SHIFT_MS, and by a further
 * CLOCK_STEP_MS once CLOCK_STEP_AFTER_MS have passed since the start. The monotonic clock is unaffected.
 */
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const step = Number(process.env.CLOCK_STEP_MS ?? 0);
const stepAfter = Number(process.env.CLOCK_STEP_AFTER_MS ?? 0);

const RealDate = Date;
const realNow = Date.now;
const now = (): number => realNow() + shift + (step !== 0 && performance.now() > stepAfter ? step : 0);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], subclass) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, subclass) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
