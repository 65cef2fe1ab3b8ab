/** Words of placeholders and of people who need a secret quickly; random text has none of them. */
const WORDS =
  /change|secret|passwo|exampl|placeh|replac|defaul|insert|croupi|casino|qwerty|azerty|develo|produc|stagin|letmei|foobar|random|please/;
const KEYBOARD = 'qwertyuiopasdfghjklzxcvbnm1234567890';

/**
 * Whether a secret can be guessed: few different characters, a short piece over and over, mostly steps through alphabet, digits or
 * keyboard, or words instead of random text. Of random text (`openssl rand`) less than one in a million is taken for it.
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

/** Nothing but letters in the case of words, with what stands between words and a number at the end. */
const isWords = (secret: string) =>
  /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[\s._-](?:[a-z]+|[A-Z]+|[A-Z][a-z]+))*[\s._-]?\d{0,4}$/.test(secret) ||
  /^(?:[A-Z][a-z]+[\s._-]?)+\d{0,4}$/.test(secret);

/** The share of characters that repeat the one before, or stand beside it in the alphabet, among the digits or on the keyboard. */
function stepsIn(text: string): number {
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
