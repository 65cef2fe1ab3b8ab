export const Gem = () => (
  <svg viewBox="-100 -80 200 190" aria-hidden="true">
    <g strokeLinejoin="round">
      <path d="M-52-66H52L92-16L0 96L-92-16Z" fill="#19d3a2" stroke="#19d3a2" strokeWidth="10" />
      <path d="M-52-66H0L-30-16H-92Z" fill="#a9ffe4" />
      <path d="M0-66H52L92-16H30Z" fill="#4ff0c4" />
      <path d="M0-66L30-16H-30Z" fill="#e3fff6" />
      <path d="M-92-16H-30L0 96Z" fill="#2fe3b2" />
      <path d="M-30-16H30L0 96Z" fill="#12b98d" />
      <path d="M30-16H92L0 96Z" fill="#0a8a6c" />
    </g>
  </svg>
);

export const Bomb = () => (
  <svg viewBox="-80 -100 160 170" aria-hidden="true">
    <path d="M16-44C26-64 44-58 48-76" stroke="#d8b98a" strokeWidth="9" fill="none" strokeLinecap="round" />
    <path d="M48-96l6 13 13 6-13 6-6 13-6-13-13-6 13-6z" fill="#ffd257" />
    <circle r="56" fill="#39435f" />
    <path d="M-56 0A56 56 0 0 0 56 0A62 62 0 0 1-56 0Z" fill="#12172a" />
    <path
      d="M-30-24a40 40 0 0 1 22-18"
      stroke="#fff"
      strokeWidth="10"
      strokeLinecap="round"
      fill="none"
      opacity=".7"
    />
  </svg>
);
