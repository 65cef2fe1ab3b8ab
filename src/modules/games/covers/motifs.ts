import type { Motif } from './rules.ts';

/** The colours of a cover: light, middle and dark of the ground, and the highlight. */
export type Palette = readonly [light: string, middle: string, dark: string, highlight: string];
type Draw = (palette: Palette, random: () => number) => string;

export const PALETTES: readonly Palette[] = [
  ['#ff5f6d', '#c2185b', '#3b0a3f', '#ffd45e'],
  ['#3aa0ff', '#1b4fd8', '#0a1650', '#ffe27a'],
  ['#8a4dff', '#5a1fc8', '#1d0857', '#7dffea'],
  ['#12c98f', '#067a6a', '#04303a', '#fff07a'],
  ['#ff9b2f', '#e2461c', '#4d0b16', '#fff1b0'],
  ['#ff6ad5', '#a42be0', '#31086a', '#8df3ff'],
  ['#28d0e8', '#0b78b8', '#062a5c', '#ffcf5a'],
  ['#e0b23c', '#a8621a', '#3c1a0a', '#fff4c4'],
  ['#5b6cff', '#2f2fa8', '#100f3f', '#ff9de2'],
  ['#9bd83a', '#3f8f2a', '#0f3a22', '#ffe066'],
];

/** Draws each motif on a ground of 300 × 400. The name covers the part below 290. */
export const DRAWINGS: Readonly<Record<Motif, Draw>> = {
  gems: ([light, , dark, highlight]) =>
    rays('#fff', 0.1) +
    gem([72, 206, 0.8], [highlight, light, dark]) +
    gem([230, 196, 0.9], ['#7dffea', '#2fd0c0', '#0a4a60']) +
    gem([150, 150, 1.6], ['#ff8fd0', '#ff3f9e', '#6a0a4a']) +
    spark(86, 78, 1) +
    spark(226, 96, 0.8),

  moon: ([, middle, dark], random) =>
    `<circle cx="${round(130 + random() * 60)}" cy="128" r="78" fill="#fff6d8"/>` +
    '<circle cx="168" cy="112" r="12" opacity=".06"/><circle cx="130" cy="150" r="18" opacity=".06"/>' +
    `<path d="M0 240L60 160L96 210L150 130L214 214L250 178L300 236V400H0Z" fill="${middle}"/>` +
    `<path d="M0 270L70 206L120 256L190 190L300 280V400H0Z" fill="${dark}"/>` +
    '<path d="M128 252c-4-30 2-44 14-62l4-22 12 14 14 2-6 14 12 30 10 26Z" fill="#05060c"/>',

  sea: ([, middle, dark, highlight]) =>
    `<circle cx="210" cy="104" r="46" fill="${highlight}"/><g transform="translate(140 168)">` +
    '<path d="M-70 30H84L58 74H-46Z" fill="#5b2a12"/><path d="M-70 30H84L78 42H-64Z" fill="#a85a24"/>' +
    '<path d="M-6-96V30" stroke="#3a1a0a" stroke-width="8"/>' +
    '<path d="M-2-92C58-84 66-20 60 12C38 2 20 0-2 6Z" fill="#fff4dc"/>' +
    '<path d="M-12-70C-50-56-60-16-54 10C-38 4-26 4-12 8Z" fill="#ffdfa6"/>' +
    '<path d="M-4-96h34l-10 10 10 10H-4Z" fill="#e02b48"/></g>' +
    `<path d="M0 236c30-18 50 12 80 0s50-16 80 0 50 12 80 0 40-12 60-4V400H0Z" fill="${middle}"/>` +
    `<path d="M0 262c34-14 54 12 84 2s50-14 80 0 46 10 76 0 40-8 60-2V400H0Z" fill="${dark}"/>`,

  temple: ([, , dark, highlight]) =>
    rays(highlight, 0.16, 110) +
    `<circle cx="150" cy="106" r="54" fill="${highlight}"/><path d="M150 96L282 262H18Z" fill="#e8b45a"/>` +
    '<path d="M150 96L282 262H176Z" fill="#a8682a"/>' +
    '<path d="M118 136H182M92 168H208M66 202H234M42 234H258" stroke="#000" stroke-opacity=".16" stroke-width="4"/>' +
    '<path d="M150 140l10 12-10 12-10-12Z" fill="#1b0d05"/><circle cx="150" cy="152" r="4" fill="#7dffea"/>' +
    `<path d="M0 262C80 246 200 276 300 254V400H0Z" fill="${dark}"/>`,

  fire: () =>
    '<g transform="translate(150 176)">' +
    '<path d="M0-130C20-80 92-58 84 28C80 84 40 104 0 104S-84 84-84 24C-84-18-50-30-44-70C-28-60-22-44-20-28C-6-52-10-90 0-130Z" fill="#ff4a1f"/>' +
    '<path d="M4-64C14-30 58-14 54 38C52 80 26 96 0 96S-52 78-52 36C-52 10-30 0-26-24C-16-16-12-6-12 4C0-10-2-38 4-64Z" fill="#ffb52e"/>' +
    '<path d="M2 0C8 22 30 30 28 58C26 82 14 92 0 92S-28 82-28 56C-28 42-16 36-14 22C-8 28-6 32-6 38C0 30-2 14 2 0Z" fill="#fff6c4"/></g>' +
    spark(66, 100, 0.7) +
    spark(240, 140, 0.9),

  fruit: () =>
    rays('#fff', 0.12) +
    '<path d="M150 60C120 90 100 120 96 150M154 60C176 92 200 112 214 146" stroke="#1d6b2f" stroke-width="9" fill="none" stroke-linecap="round"/>' +
    '<path d="M150 62C176 22 226 30 248 54C218 84 178 84 150 62Z" fill="#3fd060"/>' +
    '<circle cx="96" cy="194" r="56" fill="#e0183f"/><circle cx="214" cy="190" r="56" fill="#c00f38"/>' +
    '<g fill="#fff" opacity=".75"><ellipse cx="76" cy="172" rx="16" ry="10" transform="rotate(-35 76 172)"/>' +
    '<ellipse cx="194" cy="168" rx="16" ry="10" transform="rotate(-35 194 168)"/></g>',

  crown: ([, , , highlight]) =>
    rays(highlight, 0.18) +
    '<g transform="translate(150 170)">' +
    '<path d="M-100-50L-50-4L0-84L50-4L100-50L82 66H-82Z" fill="#ffc93e" stroke="#ffc93e" stroke-width="10" stroke-linejoin="round"/>' +
    '<path d="M0-84L50-4L100-50L82 66H0Z" fill="#e8981a"/><rect x="-84" y="48" width="168" height="30" rx="8" fill="#fff1b8"/>' +
    '<g fill="#e02b6a"><circle cx="-48" cy="63" r="9"/><circle cx="48" cy="63" r="9"/></g>' +
    '<path d="M0 50l14 13-14 13-14-13Z" fill="#2fb6ff"/><g fill="#fff4c8">' +
    '<circle cx="-102" cy="-56" r="13"/><circle cy="-92" r="15"/><circle cx="102" cy="-56" r="13"/></g></g>' +
    spark(70, 84, 0.8),

  space: ([light, , , highlight], random) =>
    `<g fill="#fff">${Array.from({ length: 16 }, () => star(random)).join('')}</g>` +
    `<g transform="translate(152 158) rotate(-18)"><circle r="74" fill="${light}"/>` +
    '<path d="M-74 0A74 74 0 0 1 60-43C20-30-40-20-74 0Z" fill="#fff" opacity=".28"/>' +
    '<path d="M-60 43A74 74 0 0 0 74 2C40 30-20 44-60 43Z" opacity=".28"/>' +
    `<path d="M-74-10C-120 8-136 26-124 34C-100 50 60 18 118-22C142-40 118-46 72-30" fill="none" stroke="${highlight}" stroke-width="13" stroke-linecap="round"/></g>` +
    `<circle cx="246" cy="70" r="18" fill="${highlight}"/>`,

  book: ([, , , highlight]) =>
    rays(highlight, 0.2, 130) +
    `<circle cx="150" cy="118" r="40" fill="${highlight}" opacity=".9"/><g transform="translate(150 200)">` +
    '<path d="M0 62C-40 40-84 40-118 54V-50C-84-66-40-64 0-44C40-64 84-66 118-50V54C84 40 40 40 0 62Z" fill="#6a2f10"/>' +
    '<path d="M0 48C-36 28-76 28-106 40V-50C-76-62-36-62 0-40Z" fill="#fff3d6"/>' +
    '<path d="M0 48C36 28 76 28 106 40V-50C76-62 36-62 0-40Z" fill="#f0d6a0"/>' +
    '<path d="M-90-30C-64-38-40-36-18-26M-90-10C-64-18-40-16-18-6M-90 10C-64 2-40 4-18 14M90-30C64-38 40-36 18-26M90-10C64-18 40-16 18-6" stroke="#a8682a" stroke-width="4" opacity=".55" fill="none"/></g>' +
    spark(150, 82, 1.1),

  coins: () =>
    `${rays('#fff', 0.1)}${COINS.map(coin).join('')}<path d="M150 40C110 20 92 62 130 84C96 84 100 128 140 118C144 136 142 144 136 158H166C160 144 158 136 162 118C202 128 204 84 170 84C208 62 190 20 150 40Z" fill="#3fd060"/>`,

  candy: () =>
    sweet([84, 120, 46], '#ff5fa8') + sweet([216, 110, 40], '#5fd0ff') + sweet([150, 196, 66], '#ffc93e'),

  wheel: ([light, middle, dark, highlight]) =>
    `<g transform="translate(150 170)"><circle r="118" fill="#fff"/><circle r="108" fill="${dark}"/>` +
    `<g fill="none" stroke-width="108"><circle r="54" stroke="${light}" stroke-dasharray="28.3 28.3"/>` +
    `<circle r="54" stroke="${highlight}" stroke-dasharray="28.3 141.3"/></g><circle r="30" fill="#fff"/>` +
    `<path d="M0-18L5-6L17-6L8 2L11 15L0 8L-11 15L-8 2L-17-6L-5-6Z" fill="${middle}"/>` +
    `<path d="M0-94L-18-132H18Z" fill="#fff" stroke="${dark}" stroke-width="5" stroke-linejoin="round"/></g>`,

  table: ([, , , highlight], random) => {
    const pick = (colours: readonly string[]) => colours[Math.floor(random() * colours.length)]!;
    const skin = pick(['#f3c9a4', '#e0a97c', '#a8703f', '#7a4a28']);
    const hair = pick(['#2a1512', '#5a2d14', '#141018', '#b8863a']);
    const coat = pick(['#161a2b', '#5a1030', '#123a4a', '#3a1a5e']);
    return `${FELT}${dealer({ skin, hair, coat, isLongHaired: random() > 0.45, bow: highlight })}${CARDS}`;
  },
};

/** Rounds a coordinate, so that covers stay small. */
export const round = (value: number): number => Number(value.toFixed(1));

/** Draws twelve rays around a point in the middle column. */
function rays(colour: string, opacity: number, y = 165): string {
  const at = (angle: number) => `L${round(150 + 330 * Math.cos(angle))} ${round(y + 330 * Math.sin(angle))}`;
  const all = Array.from({ length: 12 }, (_, i) => {
    const angle = (i * Math.PI) / 6;
    return `M150 ${y}${at(angle)}${at(angle + 0.2)}Z`;
  });
  return `<path d="${all.join('')}" fill="${colour}" opacity="${opacity}"/>`;
}

type Place = readonly [x: number, y: number, size: number];

const gem = ([x, y, scale]: Place, [bright, base, dark]: readonly [string, string, string]): string =>
  `<g transform="translate(${x} ${y}) scale(${scale})" stroke-linejoin="round">` +
  `<path d="M-30-36H30L54-8L0 56L-54-8Z" fill="${base}" stroke="${base}" stroke-width="5"/>` +
  '<path d="M-30-36H0L-18-8H-54Z" fill="#fff" opacity=".55"/><path d="M0-36L18-8H-18Z" fill="#fff" opacity=".85"/>' +
  `<path d="M-18-8H18L0 56Z" fill="${bright}"/><path d="M18-8H54L0 56Z" fill="${dark}" opacity=".55"/></g>`;

const spark = (x: number, y: number, scale: number): string =>
  `<path transform="translate(${x} ${y}) scale(${scale})" d="M0-16L4-4L16 0L4 4L0 16L-4 4L-16 0L-4-4Z" fill="#fff"/>`;

const star = (random: () => number): string =>
  `<circle cx="${round(random() * 300)}" cy="${round(random() * 260)}" r="${round(0.8 + random() * 2)}"/>`;

const COINS = ['96 236', '204 240', '150 210', '112 170', '190 166'];

const coin = (place: string): string =>
  `<g transform="translate(${place})"><ellipse cy="10" rx="54" ry="30" fill="#9c5c08"/>` +
  '<ellipse rx="54" ry="30" fill="#ffc93e"/><ellipse rx="40" ry="21" fill="none" stroke="#fff1b8" stroke-width="4"/>' +
  '<path d="M-10 0L0-10L10 0L0 10Z" fill="#b8780f"/></g>';

/** A wrapped sweet, drawn for a radius of 50. */
const sweet = ([x, y, radius]: Place, colour: string): string =>
  `<g transform="translate(${x} ${y}) scale(${radius / 50})"><g fill="${colour}">` +
  '<path d="M-50 0L-85-25V25ZM50 0L85-25V25Z" opacity=".85"/><circle r="50"/></g>' +
  '<path d="M0 0C10-30 35-25 40 5M0 0C-30-5-25-40 0-42M0 0C-10 30-35 25-42 0M0 0C30 10 20 40 0 42" fill="none" stroke="#fff" stroke-opacity=".75" stroke-width="10"/></g>';

const FELT =
  '<path d="M-40 210C60 300 240 300 340 210V400H-40Z" fill="#0b7a4f"/>' +
  '<path d="M-40 210C60 300 240 300 340 210" fill="none" stroke="#c98a2b" stroke-width="12"/>';

const CARDS =
  '<g fill="#fff"><rect x="70" y="234" width="44" height="60" rx="7" transform="rotate(-12 92 264)"/>' +
  '<rect x="120" y="240" width="44" height="60" rx="7" transform="rotate(4 142 270)"/></g>' +
  '<path d="M92 252L102 266L92 280L82 266Z" fill="#e02b48"/><circle cx="142" cy="270" r="10" fill="#141a2b"/>';

type Dealer = { skin: string; hair: string; coat: string; isLongHaired: boolean; bow: string };

function dealer({ skin, hair, coat, isLongHaired, bow }: Dealer): string {
  const long = `<path d="M104 150C88 60 112 46 150 46S212 60 196 150C204 176 96 176 104 150Z" fill="${hair}"/>`;
  const fringe = isLongHaired
    ? '112 104c-2-52 78-52 76 0-8-24-24-30-46-30s-24 14-30 30Z'
    : '111 96c-4-48 82-48 78 0-6-20-20-26-39-26s-33 6-39 26Z';
  return (
    `${isLongHaired ? long : ''}<g fill="${skin}"><rect x="136" y="124" width="28" height="36"/>` +
    '<ellipse cx="150" cy="102" rx="37" ry="41"/></g><path d="M136 138c8 8 20 8 28 0v12h-28Z" opacity=".14"/>' +
    `<path d="M${fringe}" fill="${hair}"/>` +
    '<g fill="#1c0f0a"><circle cx="136" cy="102" r="3.6"/><circle cx="164" cy="102" r="3.6"/></g>' +
    '<path d="M140 120c5 5 15 5 20 0" stroke="#1c0f0a" stroke-opacity=".6" stroke-width="3" fill="none" stroke-linecap="round"/>' +
    `<path d="M70 254c0-66 34-98 80-98s80 32 80 98Z" fill="${coat}"/>` +
    '<path d="M126 159l24 40 24-40-24 8Z" fill="#fff"/>' +
    `<path d="M150 172l15-9v18Zm0 0l-15-9v18Z" fill="${bow}"/>`
  );
}
