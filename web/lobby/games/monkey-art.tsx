import { memo } from 'react';

/** Sky, hills, water and palms. */
export const Scenery = memo(() => (
  <g>
    <defs>
      <linearGradient id="monkey-sky" x2="0" y2="1">
        <stop stopColor="#ffb84d" />
        <stop offset=".55" stopColor="#f58a3c" />
        <stop offset="1" stopColor="#a8402a" />
      </linearGradient>
    </defs>
    <path fill="url(#monkey-sky)" d="M0 0h876v580H0z" />
    <circle cx="610" cy="190" r="96" fill="#fff1b8" opacity=".75" />
    <path d="M0 270C120 200 220 250 330 216S560 190 680 236 820 220 876 196V580H0Z" fill="#2f7d5b" />
    <path d="M0 320C150 260 260 320 400 286S640 270 760 306 840 290 876 280V580H0Z" fill="#1d6149" />
    <path d="M0 372C160 330 300 372 440 350S700 344 876 362V580H0Z" fill="#0f4537" />
    <path d="M0 486C140 470 300 492 460 480S740 476 876 488V580H0Z" fill="#0a6a7d" />
    <path
      d="M0 486C140 470 300 492 460 480S740 476 876 488"
      fill="none"
      stroke="#7fe9f0"
      strokeOpacity=".5"
      strokeWidth="3"
    />
    <g fill="#0c3a2d">
      <path d="M0 0C60 10 84 60 80 130C50 90 20 80 0 84ZM60 0C110 20 150 60 150 110C120 70 90 50 50 40Z" />
      <path d="M876 0C806 10 776 66 786 150C816 100 846 86 876 92ZM816 0C760 16 716 54 712 108C746 70 790 50 830 44Z" />
    </g>
  </g>
));

/** The bank where a round begins, or where the river ends. Its edge is at 0. */
export const Bank = ({ isFar = false }: { isFar?: boolean }) => (
  <g transform={isFar ? 'scale(-1 1)' : undefined}>
    <path d="M-700 12H20C44 12 56 26 48 52L30 140H-700Z" fill="#5b3d22" />
    <path d="M-700 0H26C52 0 60 24 36 26C20 28 18 38 4 34C-14 28-20 42-40 36L-700 36Z" fill="#2c7d60" />
    {isFar && <Bananas />}
  </g>
);

const Bananas = () => (
  <g transform="translate(-30 -34) scale(1.3)" strokeLinejoin="round">
    <path d="M-2-22L4-34L10-32L8-20Z" fill="#6b4a16" />
    <path d="M0-22C-26-14-34 8-24 24C-14 10-4 4 6 0Z" fill="#e8b21c" />
    <path d="M4-24C-12-6-10 18 4 30C10 14 14 2 14-12Z" fill="#ffd23f" />
    <path d="M8-22C14-4 26 8 40 10C40-8 28-22 12-26Z" fill="#f4c32c" />
  </g>
);

const COLOURS = {
  past: ['#1d5a45', '#2c7d60'],
  here: ['#b97a1a', '#ffc247'],
  ahead: ['#5d4a3a', '#86705a'],
  trap: ['#3d2430', '#6a3d4c'],
} as const;
export type StoneState = keyof typeof COLOURS;

type StoneProps = { state: StoneState; text: string };

/** A stone with its multiplier below. */
export const Stone = ({ state, text }: StoneProps) => (
  <>
    <g className="rock">
      <ellipse cy="26" rx="58" ry="14" fill="#03261f" opacity=".5" />
      <path
        d="M-56 0C-56-12-30-20 0-20S56-12 56 0V14C56 26 30 34 0 34S-56 26-56 14Z"
        fill={COLOURS[state][0]}
      />
      <ellipse rx="56" ry="20" fill={COLOURS[state][1]} />
      <ellipse rx="44" ry="14" fill="#fff" opacity=".12" />
    </g>
    <g className="label" transform="translate(0 62)">
      <rect x="-36" y="-15" width="72" height="30" rx="15" />
      <text textAnchor="middle" dominantBaseline="central">
        {text}
      </text>
    </g>
  </>
);

/** The monkey, standing at 0. `isSwimming`: only its head is above the water. */
export const Monkey = ({ isSwimming }: { isSwimming: boolean }) => (
  <g transform="translate(0 -68)">
    {!isSwimming && (
      <>
        <path
          d="M-14 34C-40 58-40 30-52 24"
          stroke="#8a4a20"
          strokeWidth="9"
          fill="none"
          strokeLinecap="round"
        />
        <path
          className="arm"
          d="M20 22C34 26 40 38 40 48"
          stroke="#8a4a20"
          strokeWidth="10"
          fill="none"
          strokeLinecap="round"
        />
        <ellipse cy="30" rx="27" ry="30" fill="#8a4a20" />
        <ellipse cx="2" cy="36" rx="16" ry="20" fill="#f0b781" />
      </>
    )}
    <g transform="translate(2 -22) scale(.5)">
      <Head />
    </g>
    {isSwimming && (
      <g fill="none" stroke="#7fe9f0" strokeWidth="4" strokeLinecap="round">
        <path d="M-62 22C-40 30 40 30 62 22" />
        <path d="M-44 36C-24 42 24 42 44 36" opacity=".5" />
      </g>
    )}
  </g>
);

const Head = () => (
  <>
    <g fill="#8a4a20">
      <circle cx="-88" cy="2" r="34" />
      <circle cx="88" cy="2" r="34" />
    </g>
    <g fill="#f0b781">
      <circle cx="-88" cy="2" r="19" />
      <circle cx="88" cy="2" r="19" />
    </g>
    <path d="M0-94C62-94 88-52 88-6C88 52 50 90 0 90S-88 52-88-6C-88-52-62-94 0-94Z" fill="#9a5626" />
    <path
      d="M0-34C12-60 66-58 66-14C66 6 56 14 56 26C56 58 34 78 0 78S-56 58-56 26C-56 14-66 6-66-14C-66-58-12-60 0-34Z"
      fill="#ffdfb4"
    />
    <circle cx="-23" cy="-11" r="11" fill="#2a1408" />
    <circle cx="33" cy="-11" r="11" fill="#2a1408" />
    <circle cx="-19" cy="-15" r="4" fill="#fff" />
    <circle cx="37" cy="-15" r="4" fill="#fff" />
    <path d="M-34 32C-20 44 22 46 36 30C34 58 14 66 0 66S-32 58-34 32Z" fill="#7b2418" />
  </>
);

/** A banana, which rises at a cash-out. */
export const Banana = () => (
  <path d="M-22-12C-10 8 10 12 26 0C20 22-10 26-26-2Z" fill="#ffd23f" stroke="#b98412" strokeWidth="2" />
);
