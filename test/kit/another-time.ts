/**
 * Loaded before a process (`--import`): its machine's clock is wrong by CLOCK_SHIFT_MS, and by CLOCK_STEP_MS more from
 * CLOCK_STEP_AFTER_MS after the start. What it measures durations with goes on as it is.
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
