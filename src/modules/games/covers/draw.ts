import { DRAWINGS, PALETTES, type Palette, round } from './motifs.ts';
import { type Covered, escapeXml, hashOf, linesOf, motifOf, numbersFrom, printable } from './rules.ts';

const FONT = 'text-anchor="middle" font-family="Figtree,system-ui,sans-serif"';
const MAX_NAME = 44;
const MAX_PROVIDER = 28;

/**
 * Draws the cover of a game as SVG, 300 × 400 and at most 4 kB. Words in the slug choose the motif, and the slug's hash chooses the colours
 * and details, so the same game always has the same cover. The drawing uses no clock and no randomness.
 */
export function drawCover({ slug, name, providerName }: Covered): string {
  const hash = hashOf(slug);
  const palette = PALETTES[hash % PALETTES.length]!;
  const title = printable(name, MAX_NAME) || printable(slug, MAX_NAME);
  const provider = printable(providerName ?? '', MAX_PROVIDER).toUpperCase();
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 400" role="img" aria-label="${escapeXml(title)}">` +
    `${definitionsOf(palette)}<path fill="url(#g)" d="M0 0h300v400H0z"/><path fill="url(#l)" d="M0 0h300v330H0z"/>` +
    `${DRAWINGS[motifOf(slug)](palette, numbersFrom(hash))}<path fill="url(#f)" d="M0 220h300v180H0z"/>` +
    `${titleOf(title.toUpperCase())}${provider && captionOf(provider)}</svg>`
  );
}

/** Defines the ground (g), its glow (l), the shade behind the name (f) and the fill of the name (t). */
const definitionsOf = ([light, middle, dark, highlight]: Palette): string =>
  '<defs><linearGradient id="g" x2="0" y2="1">' +
  `<stop stop-color="${light}"/><stop offset=".5" stop-color="${middle}"/><stop offset="1" stop-color="${dark}"/></linearGradient>` +
  '<radialGradient id="l" cy=".4" r=".6"><stop stop-color="#fff" stop-opacity=".5"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient>' +
  `<linearGradient id="f" x2="0" y2="1"><stop offset=".1" stop-color="${dark}" stop-opacity="0"/>` +
  `<stop offset=".55" stop-color="${dark}" stop-opacity=".95"/></linearGradient>` +
  `<linearGradient id="t" x2="0" y2="1"><stop stop-color="#fff"/><stop offset="1" stop-color="${highlight}"/></linearGradient></defs>`;

/** The width available to the name, and the average width of a capital letter in relation to the font size. */
const WIDTH = 264;
const LETTER = 0.64;
const LARGEST = 58;

function titleOf(title: string): string {
  const lines = linesOf(title).map((text) => ({ text, length: [...text].length }));
  const size = Math.min(LARGEST, ...lines.map(({ length }) => WIDTH / (length * LETTER)));
  const top = 342 - (lines.length - 1) * size * 0.46;
  const shown = lines.map(({ text, length }, i) => {
    const width = round(Math.min(WIDTH, length * size * LETTER));
    // Fonts differ in width. Short words keep their natural width, because stretched letters would look wrong.
    const fitted = length > 4 ? ` textLength="${width}" lengthAdjust="spacingAndGlyphs"` : '';
    return `<text x="150" y="${round(top + i * size * 0.92)}"${fitted}>${escapeXml(text)}</text>`;
  });
  return (
    `<g ${FONT} font-weight="800" font-size="${round(size)}" fill="url(#t)" stroke="#0a0612" ` +
    `stroke-width="${round(size * 0.16)}" stroke-linejoin="round" paint-order="stroke">${shown.join('')}</g>`
  );
}

const captionOf = (provider: string): string =>
  `<text x="150" y="389" ${FONT} font-size="12" font-weight="600" letter-spacing="1.8" fill="#fff" opacity=".75">${escapeXml(provider)}</text>`;
