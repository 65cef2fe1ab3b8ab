import type { ErrorFactory } from '../../../../platform/errors.ts';
import { chatErrors } from '../schemas.ts';

/** The maximum length in graphemes. An emoji that consists of several parts counts as one. */
export const MAX_CHARACTERS = 200;
const MAX_CODE_POINTS = 800;
/** Longer input is rejected before it is normalized. */
const MAX_TYPED = 8000;
/** The maximum number of combining marks per letter. No language needs more, and stacked marks would cover other messages. */
const MAX_MARKS = 4;

/** A message text as it is stored and shown, or an error. The text is plain and contains no invisible characters. */
type ReadText = { text: string } | { refusal: ErrorFactory };

/** Normalizes and checks the text that a player has typed. */
export function readText(typed: string): ReadText {
  if (typed.length > MAX_TYPED) return { refusal: chatErrors.CHAT_TEXT_TOO_LONG };
  const text = cleaned(typed);
  if (!IS_VISIBLE.test(text)) return { refusal: chatErrors.CHAT_TEXT_EMPTY };
  if ([...text].length > MAX_CODE_POINTS || charactersOf(text) > MAX_CHARACTERS)
    return { refusal: chatErrors.CHAT_TEXT_TOO_LONG };
  return hasLink(text) ? { refusal: chatErrors.CHAT_LINK } : { text };
}

/** Returns a key that is equal for strings that differ only in case, width or compatibility form. */
export const sameness = (text: string): string => text.normalize('NFKC').toLowerCase();

function cleaned(typed: string): string {
  const visible = without([...INVISIBLE, ...JOINERS], typed.toWellFormed().normalize('NFC'));
  const tidy = visible
    .replace(/[\t-\r\u0085]/g, ' ')
    .replace(STRAY_MARKS, '$1')
    .replace(/[\s\p{Z}]+/gu, ' ')
    .trim()
    .replace(TOO_MANY_MARKS, '$1');
  // The previous steps may have removed the characters next to a joiner, so joiners are checked again.
  return without(JOINERS, tidy).normalize('NFC');
}

const IS_VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
const TOO_MANY_MARKS = new RegExp(`([\\p{Mn}\\p{Me}]{${MAX_MARKS}})[\\p{Mn}\\p{Me}]+`, 'gu');
/** Marks without a base letter would attach to the text that precedes the message. */
const STRAY_MARKS = /(^|\s)[\p{Mn}\p{Me}]+/gu;

/** Scripts whose letters change their form next to a joiner. */
const JOINING = [
  ...['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml'],
  ...['Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt', 'Thaa', 'Nkoo'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('|');
const PICTURE = String.raw`\p{Extended_Pictographic}`;
/** Matches a character unless it is between `before` and `after`. */
const outside = (character: string, before: string, after: string) =>
  new RegExp(`(?<!${before})${character}|${character}(?!${after})`, 'gu');

/** Matches invisible characters, direction overrides and replacement characters. */
const INVISIBLE: readonly RegExp[] = [
  // Control, format, surrogate, private-use and unassigned characters. Other patterns handle white space, joiners and tags.
  /(?![\t-\r\u0085]|\u200c|\u200d|[\u{e0000}-\u{e007f}])\p{C}/gu,
  /\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu,
  /[\u115f\u1160\u2800\u3164\uffa0\ufff9-\ufffd]/gu,
  // Tag characters are valid only in flags of regions.
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0000}-\u{e007f}]/gu,
  // An emoji presentation selector that does not follow an emoji.
  /(?<!\p{Emoji})\ufe0f/gu,
];

const JOINERS: readonly RegExp[] = [
  outside(
    String.raw`\u200d`,
    String.raw`(?:${PICTURE}|\p{Emoji_Modifier}|\ufe0f|${JOINING})`,
    `(?:${PICTURE}|${JOINING})`,
  ),
  outside(String.raw`\u200c`, `(?:${JOINING})`, `(?:${JOINING})`),
];

const without = (patterns: readonly RegExp[], text: string): string =>
  patterns.reduce((left, pattern) => left.replace(pattern, ''), text);

const IS_ASCII = /^[ -~]*$/;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const charactersOf = (text: string): number =>
  IS_ASCII.test(text) ? text.length : [...segmenter.segment(text)].length;

/**
 * Returns true if a text contains a link: a URL, a bare domain, an IP address, or a link in one of the usual disguises. A full stop without
 * a space after it counts as part of a domain, because any word can be a top-level domain.
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

/** Folds a text to plain lower-case letters without marks or joiners. Replaces lookalikes of colons and slashes with colons and slashes. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\u200c\u200d]/gu, '')
    .replace(/[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu, letterOfSymbol)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u02d0\u02f8\u0589\u05c3\u2236\ua789]/g, ':')
    .replace(/[\u2044\u2215\u29f8\u2571]/g, '/');

/** Converts circled and squared letters and regional indicators, which Unicode normalization does not convert. */
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

/** Letters of other scripts, and digits, that look like Latin letters. */
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

/** Characters used in place of the dot in a domain. */
const DOTS =
  /[\u00b0\u00b7\u2022\u2027\u2219\u22c5\u25cb\u25cf\u25e6\u2e33\u3001\u3002\u30fb\u0701\u0702\u06d4\ua4f8]/g;

/** Replaces lookalikes with Latin letters, dot substitutes with `•`, and brackets and quotes with spaces. */
const inLatin = (plain: string): string =>
  [...plain]
    .map((character) => LOOKALIKES[character] ?? character)
    .join('')
    .replace(/[()[\]{}<>"'`´*_~\\]+/g, ' ')
    .replace(DOTS, '•');

/** Joins single letters that are separated by spaces, such as `b e t . c o m`. */
const joined = (text: string): string =>
  text.replace(/(?<![\p{L}\p{N}.•])(?:[\p{L}\p{N}.•]\s+){2,}[\p{L}\p{N}](?![\p{L}\p{N}])/gu, (spaced) =>
    spaced.replace(/\s/g, ''),
  );

/** `BARE` contains top-level domains that are not words. `ANY` also contains words and is used only where a dot is unambiguous. */
const BARE = '(?:com|net|org|io|gg|xyz|ru|ly|tv|cc|biz|info|cn|eu)';
const ANY =
  '(?:com|net|org|io|gg|xyz|ru|ly|tv|cc|biz|info|cn|eu|co|me|uk|de|app|bet|casino|club|dev|fun|game|games|link|live|one|online|poker|pro|shop|site|space|store|tech|top|vip|vegas|win|world|ws)';
const DOT = '(?:dot|punto|punkt|tochka|to\u0447ka)';

const DISGUISED: readonly RegExp[] = [
  // Matches `bet•com` and `b e t . c o m`.
  new RegExp(`${LETTER}(?:\\.|•+)${ANY}${END}`, 'u'),
  // Matches `bet,com` and `bet..com`.
  new RegExp(`${LETTER}(?:[,;]|\\.{2,})${BARE}${END}`, 'u'),
  // Matches `bet .com` and `bet . com`.
  new RegExp(`${LETTER}(?:\\s+[.•]+)+\\s*${BARE}${END}`, 'u'),
  // Matches `bet. com` at the end of the text, or followed by the rest of a URL.
  new RegExp(`${LETTER}[.•]+\\s+${BARE}(?=\\s*(?:[/:!?.]|$))`, 'u'),
  // Matches `bet dot com`, `betdotcom` and `bet (dot) com`.
  new RegExp(`(?:${LETTER}${DOT}\\s*|${LETTER}\\s+${DOT}\\s+)${ANY}${END}`, 'u'),
  // Matches `www bet com`.
  new RegExp(`${START}www\\d?[\\s.•-]+${LETTER}+[\\s.•-]+${ANY}${END}`, 'u'),
  // Matches `bet com/win`.
  new RegExp(`${LETTER}\\s+${BARE}\\s*/\\s*${LETTER}`, 'u'),
  // Matches `discord gg/abc` and `t me/abc`.
  new RegExp(`${START}(?:discord|t|wa|bit)\\s*\\.?\\s*(?:gg|me|ly)\\s*/\\s*${LETTER}`, 'u'),
];
