/** `npm run ci:full` sets TEST_LENGTH=full. Tests that try many cases then try more of them, which takes too long for every push. */
export const isFull = process.env.TEST_LENGTH === 'full';

/** Returns a length from an environment variable. If it is not set, returns `long` in `npm run ci:full`, otherwise `short`. */
export const times = (name: string, short: number, long: number): number =>
  Number(process.env[name] || (isFull ? long : short));
