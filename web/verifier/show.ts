import { type Drawn, placeOf, type Verdict } from '../../src/modules/games/house-games/verify/check.ts';
import type { Claim } from '../../src/modules/games/house-games/verify/read.ts';
import { draw } from './draw.ts';
import { el } from './element.ts';

const BANNERS: Readonly<Record<Verdict['result'], string>> = {
  VERIFIED: '✓ Verified: seeds and inputs give the very outcome of this bet.',
  COMPUTED: 'Computed: this is what these seeds and inputs give. Compare it with what you were shown.',
  DIFFERENT: '✗ Not verified.',
};

/** Shows the whole verification, with the verdict first. */
export function showVerdict(claim: Claim, verdict: Verdict): Element[] {
  const { result, findings, outcome } = verdict;
  return [
    el(
      'p',
      { class: `banner ${result.toLowerCase()}`, id: 'verdict', 'data-result': result, role: 'status' },
      BANNERS[result],
    ),
    ...(outcome ? [el('figure', {}, draw(claim.game, claim.inputs, outcome))] : []),
    el(
      'ul',
      { id: 'findings' },
      findings.map(({ isGood, text }) =>
        el('li', { class: isGood ? 'good' : 'bad' }, isGood ? '✓ ' : '✗ ', text),
      ),
    ),
    ...differences(verdict),
    ...(outcome ? [el('h3', {}, 'Outcome'), el('pre', { id: 'outcome' }, JSON.stringify(outcome))] : []),
    ...(outcome ? steps(claim, verdict) : []),
  ];
}

function differences({ differences: list }: Verdict): Element[] {
  if (list.length === 0) return [];
  const text = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  const rows = list.map(({ path, said, computed }) => [path, text(said), text(computed)]);
  return [
    el('h3', {}, 'What differs'),
    table('differences', ['Where', 'The platform says', 'Comes out as'], rows),
  ];
}

/** Shows every value that is needed to repeat the computation with other tools. */
function steps({ clientSeed, nonce }: Claim, { blocks, numbers }: Verdict): Element[] {
  return [
    el('h3', {}, 'Step by step'),
    el(
      'p',
      {},
      'Each block is HMAC-SHA256 with the server seed as key (its 64 characters as text) and the message ',
      el('code', {}, `${clientSeed}:${nonce}:block`),
      '. Four bytes after the other are one number u; where it picks one of n, the pick is floor(u × n ÷ 2³²), counted from 0. A draw takes the picked one out and goes on with the rest.',
    ),
    table(
      'blocks',
      ['Block', 'Message', 'HMAC-SHA256'],
      blocks.map(({ message, hex }, round) => [round, message, hex]),
    ),
    table('numbers', ['u[i]', 'Block', 'Bytes', 'u', 'One of n', 'Pick'], numbers.map(row)),
  ];
}

function row(drawn: Drawn): (string | number)[] {
  const { i, round, bytes, u, of } = drawn;
  return [i, round, bytes.match(/../g)!.join(' '), u, of ?? '–', placeOf(drawn) ?? '–'];
}

function table(
  id: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Element {
  return el(
    'div',
    { class: 'scroll' },
    el(
      'table',
      { id },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          head.map((name) => el('th', { scope: 'col' }, name)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((cells) =>
          el(
            'tr',
            {},
            cells.map((cell) => el('td', {}, cell)),
          ),
        ),
      ),
    ),
  );
}
