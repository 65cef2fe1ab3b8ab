import type { ErrorFactory } from '../../../../platform/errors.ts';
import { chatErrors } from '../errors.ts';
import { hasLink } from '../links/rules.ts';

/** Characters of a message as people see them: an emoji of several parts is one. */
export const MOST_CHARACTERS = 200;
/** What those may be made of. */
const MOST_CODE_POINTS = 800;
/** Longer texts are not looked at. */
const MOST_TYPED = 8000;
/** Marks above, below and around one letter: what languages need. Towers of them cover the lines of others. */
const MOST_MARKS = 4;

/** A text as it is stored and shown, or why it is refused. It is plain text: nothing in it is markup, nothing is invisible. */
export type ReadText = { text: string } | { refusal: ErrorFactory };

/** Reads what a player has typed. */
export function readText(typed: string): ReadText {
  if (typed.length > MOST_TYPED) return { refusal: chatErrors.CHAT_TEXT_TOO_LONG };
  const text = cleaned(typed);
  if (!IS_VISIBLE.test(text)) return { refusal: chatErrors.CHAT_TEXT_EMPTY };
  if ([...text].length > MOST_CODE_POINTS || charactersOf(text) > MOST_CHARACTERS)
    return { refusal: chatErrors.CHAT_TEXT_TOO_LONG };
  return hasLink(text) ? { refusal: chatErrors.CHAT_LINK } : { text };
}

/** Equal for texts that say the same: case, width and form of letters aside. */
export const sameness = (text: string): string => text.normalize('NFKC').toLowerCase();

function cleaned(typed: string): string {
  const visible = without([...INVISIBLE, ...JOINERS], typed.toWellFormed().normalize('NFC'));
  const tidy = visible
    .replace(/[\t-\r\u0085]/g, ' ')
    .replace(STRAY_MARKS, '$1')
    .replace(/[\s\p{Z}]+/gu, ' ')
    .trim()
    .replace(TOO_MANY_MARKS, '$1');
  // What a joiner stood beside may have gone.
  return without(JOINERS, tidy).normalize('NFC');
}

const IS_VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
const TOO_MANY_MARKS = new RegExp(`([\\p{Mn}\\p{Me}]{${MOST_MARKS}})[\\p{Mn}\\p{Me}]+`, 'gu');
/** Without a letter to sit on they sit on what is before the message. */
const STRAY_MARKS = /(^|\s)[\p{Mn}\p{Me}]+/gu;

/** Scripts whose letters take another form beside a joiner. */
const JOINING = [
  ...['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml'],
  ...['Telu', 'Knda', 'Mlym', 'Sinh', 'Khmr', 'Mymr', 'Tibt', 'Thaa', 'Nkoo'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('|');
const PICTURE = String.raw`\p{Extended_Pictographic}`;
/** A character that is not between what it may stand between. */
const outside = (character: string, before: string, after: string) =>
  new RegExp(`(?<!${before})${character}|${character}(?!${after})`, 'gu');

/** Characters that nobody sees, those that turn the direction of what follows, and those that stand for what could not be read. */
const INVISIBLE: readonly RegExp[] = [
  // Controls, formats, surrogates, private and unassigned ones; white space is for later, joiners and tags for below.
  /(?![\t-\r\u0085]|\u200c|\u200d|[\u{e0000}-\u{e007f}])\p{C}/gu,
  /\u034f|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu,
  /[\u115f\u1160\u2800\u3164\uffa0\ufff9-\ufffd]/gu,
  // Tags make flags of regions, and nothing else.
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0000}-\u{e007f}]/gu,
  // Shows what is before it as a picture.
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
