/** Words that occur in placeholders and carelessly chosen secrets. Random text does not contain them. */
const WORDS =
  /change|secret|passwo|exampl|placeh|replac|defaul|insert|croupi|casino|qwerty|azerty|develo|produc|stagin|letmei|foobar|random|please/;
const KEYBOARD = 'qwertyuiopasdfghjklzxcvbnm1234567890';

/**
 * Returns true if a secret can be guessed. It has few different characters, repeats a short sequence, or follows the alphabet, digits or
 * keyboard. Secrets made of words are also considered guessable. Fewer than one in a million random strings (`openssl rand`) are rejected.
 */
export function isGuessable(secret: string): boolean {
  const text = secret.toLowerCase();
  return (
    new Set(secret).size < 10 ||
    /^(.{1,16}?)\1+.{0,15}$/.test(secret) ||
    WORDS.test(text) ||
    isWords(secret) ||
    stepsIn(text) >= 0.6
  );
}

/** Matches words in lower case, in upper case or capitalised, with separators between them and an optional number at the end. */
const isWords = (secret: string) =>
  /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[\s._-](?:[a-z]+|[A-Z]+|[A-Z][a-z]+))*[\s._-]?\d{0,4}$/.test(secret) ||
  /^(?:[A-Z][a-z]+[\s._-]?)+\d{0,4}$/.test(secret);

/** Returns the share of characters that equal the previous one or are next to it in the alphabet, among the digits or on the keyboard. */
export function stepsIn(text: string): number {
  let steps = 0;
  for (let i = 1; i < text.length; i++) {
    const distance = Math.abs(text.charCodeAt(i) - text.charCodeAt(i - 1));
    if (distance <= 1 || isBeside(text[i - 1]!, text[i]!)) steps++;
  }
  return steps / Math.max(1, text.length - 1);
}

function isBeside(a: string, b: string): boolean {
  const [at, next] = [KEYBOARD.indexOf(a), KEYBOARD.indexOf(b)];
  return at >= 0 && next >= 0 && Math.abs(at - next) === 1;
}
