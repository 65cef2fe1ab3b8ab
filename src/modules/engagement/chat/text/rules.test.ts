import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_CHARACTERS, readText, sameness } from './rules.ts';

const outcomeOf = (typed: string) => {
  const read = readText(typed);
  return 'text' in read ? read.text : read.refusal.code;
};

describe('readText', () => {
  test.each<[name: string, typed: string, expected: string]>([
    ['plain text', 'Hello, world!', 'Hello, world!'],
    ['markup', '<b>&amp;</b> <img src=x onerror=alert(1)>', '<b>&amp;</b> <img src=x onerror=alert(1)>'],
    ['white space at the ends', '  hi \n', 'hi'],
    [
      'all kinds of white space',
      'a \t b\n\nc\u00a0d\u3000e\u2028f\u2029g\u0085h\vi\fj\rk',
      'a b c d e f g h i j k',
    ],
    ['control characters', 'a\u0000b\u0007c\u001bd\u007fe\u009ff', 'abcdef'],
    ['format characters', 'a\u200bb\u2060c\ufeffd\u00ade\u2063f\u061cg\u180eh', 'abcdefgh'],
    ['direction overrides', '\u202eabc\u202c \u2066def\u2069 \u200fghi\u200e', 'abc def ghi'],
    ['filler characters', 'a\u034fb\u115fc\u1160d\u17b4e\u17b5f\u2800g\u3164h\uffa0i\ufff9j', 'abcdefghij'],
    ['lone surrogates', 'a\ud800b\udc00c\ufffdd', 'abcd'],
    ['private-use and unassigned characters', 'a\ue000b\u{f0000}c\u0378d\uffffe', 'abcde'],
    ['composed letters', 'e\u0301', 'é'],
    ['marks in Hebrew', 'שָׁלוֹם', 'שָׁלוֹם'.normalize('NFC')],
    ['marks in Thai', 'ที่นี่', 'ที่นี่'],
    ['marks in Vietnamese', 'tiếng Việt', 'tiếng Việt'],
    ['joiners in Hindi', 'क्‍ष नमस्ते', 'क्‍ष नमस्ते'],
    ['joiners in Persian', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['joiners between Latin letters', 'a\u200cb\u200dc \u200d\u200c', 'abc'],
    ['a joiner next to one letter', 'می\u200c x', 'می x'],
    ['stacked marks', `a${'\u0301'.repeat(9)}b`, `\u00e1${'\u0301'.repeat(4)}b`],
    ['stacked enclosing marks', `a${'\u20dd'.repeat(9)}b`, `a${'\u20dd'.repeat(4)}b`],
    ['marks without a letter', '\u0316\u0301abc \u0489def', 'abc def'],
    ['an emoji', '👍', '👍'],
    ['an emoji of several parts', '👩🏽‍💻 👨‍👩‍👧‍👦 ❤️‍🔥', '👩🏽‍💻 👨‍👩‍👧‍👦 ❤️‍🔥'],
    ['emoji presentation selectors', '☀️ 1️⃣ a\ufe0f', '☀️ 1️⃣ a'],
    ['other variation selectors', '☀\ufe0e a\ufe00 b\u{e0100}', '☀ a b'],
    ['flags', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['tags without a flag', `a${'\u{e0061}'.repeat(3)}b \u{e0001}c`, 'ab c'],
    [
      'too many tags after a flag',
      `\u{1f3f4}${'\u{e0061}'.repeat(9)}b`,
      `\u{1f3f4}${'\u{e0061}'.repeat(7)}b`,
    ],
    ['a joiner after an emoji', '👍\u200d', '👍'],
    ['a joiner between an emoji and a letter', '👍\u200da', '👍a'],
    ['an empty text', '', 'CHAT_TEXT_EMPTY'],
    ['only white space', ' \n\t\u3000', 'CHAT_TEXT_EMPTY'],
    ['only invisible characters', '\u200b\u2800\u3164\u00ad\u200d', 'CHAT_TEXT_EMPTY'],
    ['only marks', '\u0301\u0301', 'CHAT_TEXT_EMPTY'],
    ['only spacing marks', '\u093e', 'CHAT_TEXT_EMPTY'],
    ['one punctuation mark', '.', '.'],
    ['one symbol', '€', '€'],
    ['a link', 'bet.com', 'CHAT_LINK'],
    ['a link in pieces', 'b\u200be\u00adt.\u2060c\u202eom', 'CHAT_LINK'],
  ])('normalizes or rejects %s', (_, typed, expected) => {
    expect(outcomeOf(typed)).toBe(expected);
  });
});

describe('length limits', () => {
  const FAMILY = '👨‍👩‍👧';
  test.each<[name: string, typed: string, isAccepted: boolean]>([
    ['200 letters', 'a'.repeat(200), true],
    ['201 letters', 'a'.repeat(201), false],
    ['200 letters, with white space around', `${' '.repeat(50)}${'a'.repeat(200)}\n`, true],
    ['200 letters with marks', 'x\u0316'.repeat(200), true],
    ['201 letters with marks', 'x\u0316'.repeat(201), false],
    ['200 emoji', '👍'.repeat(200), true],
    ['201 emoji', '👍'.repeat(201), false],
    ['160 family emoji (800 code points)', FAMILY.repeat(160), true],
    ['161 family emoji', FAMILY.repeat(161), false],
    ['an endless emoji', `${'👩\u200d'.repeat(401)}👩`, false],
    ['200 letters among 1,000 invisible characters', `a${'\u200b'.repeat(5)}`.repeat(200), true],
    ['8,000 characters, nearly all invisible', `a${'\u200b'.repeat(7999)}`, true],
    ['more than 8,000 characters', `a${'\u200b'.repeat(8000)}`, false],
  ])('applies the length limit to %s', (_, typed, isAccepted) => {
    const read = readText(typed);
    expect('text' in read ? 'accepted' : read.refusal.code).toBe(
      isAccepted ? 'accepted' : 'CHAT_TEXT_TOO_LONG',
    );
  });

  test('sets the length limit to 200 graphemes', () => expect(MAX_CHARACTERS).toBe(200));
});

test('returns only strings that are normalized, visible and within the limits', () => {
  const odd = fc.constantFrom(
    ...[
      '\u200d',
      '\u200c',
      '\u202e',
      '\u0301',
      '\ufe0f',
      '\u20dd',
      '\u{e0061}',
      '\ud800',
      ' ',
      '\n',
      '👍',
      '🏴',
      'ش',
      'क',
      '्',
    ],
  );
  const typed = fc.array(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(typed, (parts) => {
      const read = readText(parts.join(''));
      if (!('text' in read)) return;
      const { text } = read;
      expect(readText(text)).toEqual({ text });
      expect(text.isWellFormed()).toBe(true);
      expect(text).toBe(text.trim().normalize('NFC'));
      expect(text).not.toMatch(
        /[\p{Cc}\p{Co}\p{Cn}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|\s\s/u,
      );
      expect(text).not.toMatch(/[\p{Mn}\p{Me}]{6}/u);
      expect([...text].length).toBeLessThanOrEqual(800);
    }),
    { seed: 20261121, numRuns: 2000 },
  );
});

test.each([
  ['Hello', 'hELLO', true],
  ['ﬁne', 'fine', true],
  ['hello', 'hello!', false],
  ['a b', 'ab', false],
])('compares the messages %s and %s: %s', (a, b, isSame) => {
  expect(sameness(a) === sameness(b)).toBe(isSame);
});
