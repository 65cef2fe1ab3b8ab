/** `npm run ci:full` sets TEST_LENGTH=full. Tests that try many cases then try more of them, which takes too long for every push. */
export const isFull = process.env.TEST_LENGTH === 'full';
