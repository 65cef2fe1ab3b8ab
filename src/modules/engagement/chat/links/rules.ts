/**
 * Whether a text holds an address that somebody could be led to: with a scheme, a bare domain, an IP address, or one of the usual disguises.
 * Full stops without a space behind them count as those of a domain, whatever follows: every word can be a top-level domain.
 */
export function hasLink(text: string): boolean {
  const plain = folded(text);
  const latin = inLatin(plain);
  return (
    PLAIN.some((pattern) => pattern.test(plain)) ||
    IP_ADDRESSES.some((pattern) => pattern.test(plain.replace(DOTS, '.'))) ||
    [latin, joined(latin)].some((read) => DISGUISED.some((pattern) => pattern.test(read)))
  );
}

/** In small plain letters, without marks and joiners; what looks like a colon or a slash is one. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\u200c\u200d]/gu, '')
    .replace(/[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu, letterOfSymbol)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u02d0\u02f8\u0589\u05c3\u2236\ua789]/g, ':')
    .replace(/[\u2044\u2215\u29f8\u2571]/g, '/');

/** Letters in circles and squares, and those that make flags, which no normalisation turns into letters. */
function letterOfSymbol(symbol: string): string {
  const first = [0x1f1e6, 0x1f170, 0x1f150].find((start) => symbol.codePointAt(0)! >= start)!;
  return String.fromCharCode(97 + symbol.codePointAt(0)! - first);
}

const LETTER = String.raw`[\p{L}\p{N}]`;
const START = `(?<!${LETTER})`;
const END = `(?!${LETTER})`;
const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

const PLAIN: readonly RegExp[] = [
  // Schemes.
  /:\s*\/\s*\//,
  new RegExp(`${START}h(?:tt|xx)ps?${END}`, 'u'),
  new RegExp(`${START}(?:javascript|vbscript|mailto|ftp|sftp|magnet)\\s*:`, 'u'),
  // Domains.
  new RegExp(`(?<=${LETTER})\\.(?=\\p{L}{2,}${END})`, 'u'),
  /(?<=[a-z0-9])\u3002(?=[a-z]{2,}(?![a-z0-9]))/,
  new RegExp(`${START}xn--`, 'u'),
  new RegExp(`${START}localhost${END}`, 'u'),
  new RegExp(`${START}[a-z][a-z0-9-]*:\\d{2,5}\\s?/`, 'u'),
];

const IP_ADDRESSES: readonly RegExp[] = [
  new RegExp(`(?<![\\d.])${OCTET}(?:\\.${OCTET}){3}(?!\\.?\\d)`),
  /(?<![0-9a-z:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![0-9a-z:])/,
  /(?<![0-9a-z:])(?:[0-9a-f]{1,4}:)+(?::[0-9a-f]{1,4})+(?![0-9a-z:])/,
  /\[[0-9a-f:]*::[0-9a-f:]*\]/,
];

/** Letters of other scripts, and digits, that are read as Latin letters. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аɑα', 'a'],
    ['вβ', 'b'],
    ['сϲ', 'c'],
    ['ԁδ', 'd'],
    ['еєε', 'e'],
    ['ԍɡ', 'g'],
    ['һн', 'h'],
    ['іιıɩ', 'i'],
    ['ј', 'j'],
    ['кκ', 'k'],
    ['ӏ', 'l'],
    ['мϻ', 'm'],
    ['пη', 'n'],
    ['оοσօ0', 'o'],
    ['рρ', 'p'],
    ['ѕ', 's'],
    ['тτ', 't'],
    ['υս', 'u'],
    ['ѵν', 'v'],
    ['ѡωա', 'w'],
    ['хχ', 'x'],
    ['уγ', 'y'],
  ].flatMap(([alike, letter]) => [...alike!].map((character) => [character, letter!])),
);

/** Marks that stand for the dot of a domain. */
const DOTS =
  /[\u00b0\u00b7\u2022\u2027\u2219\u22c5\u25cb\u25cf\u25e6\u2e33\u3001\u3002\u30fb\u0701\u0702\u06d4\ua4f8]/g;

/** Every letter that is read as a Latin one, every mark that stands for a dot as `•`, and nothing between brackets and quotes. */
const inLatin = (plain: string): string =>
  [...plain]
    .map((character) => LOOKALIKES[character] ?? character)
    .join('')
    .replace(/[()[\]{}<>"'`´*_~\\]+/g, ' ')
    .replace(DOTS, '•');

/** Letters one by one are a word: `b e t . c o m`. */
const joined = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}.•])(?:[\p{L}\p{N}.•]\s+){2,}[\p{L}\p{N}](?![\p{L}\p{N}])/gu, (spaced) =>
    spaced.replace(/\s/g, ''),
  );

/** Top-level domains that are no words, and such as are: these count only where nothing but a dot can be meant. */
const BARE = '(?:com|net|org|io|gg|xyz|ru|ly|tv|cc|biz|info|cn|eu)';
const ANY =
  '(?:com|net|org|io|gg|xyz|ru|ly|tv|cc|biz|info|cn|eu|co|me|uk|de|app|bet|casino|club|dev|fun|game|games|link|live|one|online|poker|pro|shop|site|space|store|tech|top|vip|vegas|win|world|ws)';
const DOT = '(?:dot|punto|punkt|tochka|to\u0447ka)';

const DISGUISED: readonly RegExp[] = [
  // bet•com  b e t . c o m
  new RegExp(`${LETTER}(?:\\.|•+)${ANY}${END}`, 'u'),
  // bet,com  bet..com
  new RegExp(`${LETTER}(?:[,;]|\\.{2,})${BARE}${END}`, 'u'),
  // bet .com  bet . com
  new RegExp(`${LETTER}(?:\\s+[.•]+)+\\s*${BARE}${END}`, 'u'),
  // bet. com at the end, or with more of an address behind it
  new RegExp(`${LETTER}[.•]+\\s+${BARE}(?=\\s*(?:[/:!?.]|$))`, 'u'),
  // bet dot com  betdotcom  bet (dot) com
  new RegExp(`(?:${LETTER}${DOT}\\s*|${LETTER}\\s+${DOT}\\s+)${ANY}${END}`, 'u'),
  // www bet com
  new RegExp(`${START}www\\d?[\\s.•-]+${LETTER}+[\\s.•-]+${ANY}${END}`, 'u'),
  // bet com/win
  new RegExp(`${LETTER}\\s+${BARE}\\s*/\\s*${LETTER}`, 'u'),
  // discord gg/abc  t me/abc
  new RegExp(`${START}(?:discord|t|wa|bit)\\s*\\.?\\s*(?:gg|me|ly)\\s*/\\s*${LETTER}`, 'u'),
];
