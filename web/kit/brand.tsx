import './brand.css';
import { useId } from 'react';
import { settings } from './api.ts';

const { name, mark, wordmark, wordmarkLight } = settings.brand;
/** An operator who ships no drawing of the name is shown by the name as text. */
const isOwn = mark !== undefined || wordmark !== undefined || name !== 'Croupier';

/** The operator's sign. */
export function Mark({ size = 30 }: { size?: number }) {
  // Each drawing has its own gradient, because browsers do not use one within a hidden drawing.
  const id = useId();
  if (mark) return <img className="mark" src={mark} alt="" width={size} height={size} />;
  return (
    <svg className="mark" viewBox="0 0 64 64" width={size} height={size} aria-hidden="true">
      <defs>
        <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
          <stop />
          <stop offset="1" />
        </linearGradient>
      </defs>
      <path d="M49.3 45.5A22 22 0 1 1 49.3 18.5" fill="none" stroke={`url(#${id})`} strokeWidth="13" />
      <path d="M25.7 49.4L21.9 59.7M13.5 32L2.5 32M25.7 14.6L21.9 4.3" className="cut" strokeWidth="4.5" />
      <path d="M43 32L51.5 20.5L60 32L51.5 43.5Z" fill={`url(#${id})`} />
    </svg>
  );
}

/** The operator's name, drawn or as text. */
export function Wordmark() {
  if (wordmark)
    return (
      <>
        <img className="wordmark on-dark" src={wordmark} alt={name} />
        <img className="wordmark on-light" src={wordmarkLight ?? wordmark} alt={name} />
      </>
    );
  if (isOwn) return <span className="wordmark text">{name}</span>;
  return (
    <svg className="wordmark" viewBox="-3 0 197 48" role="img" aria-label={name}>
      <g fill="none" stroke="currentColor" strokeWidth="5.4" strokeLinecap="round" strokeLinejoin="round">
        <path d="M26.5 13.6A13 13 0 1 0 26.5 30.4" />
        <path d="M36 15V35M36 25C36 19 41 16 46 17" />
        <path d="M63.5 15A10 10 0 1 1 63.5 35A10 10 0 1 1 63.5 15Z" />
        <path d="M83.5 15V26C83.5 32 87.5 35 92 35S100.5 32 100.5 26V15M100.5 26V35" />
        <path d="M112.5 15V43M122.5 15A10 10 0 1 1 122.5 35A10 10 0 1 1 122.5 15Z" />
        <path d="M143.5 15V35" />
        <path d="M152.5 25H172A10 10 0 1 0 169 32" />
        <path d="M182 15V35M182 25C182 19 187 16 192 17" />
      </g>
      <path d="M143.5 2.5l4.6 5-4.6 5-4.6-5z" className="dot-of-i" />
    </svg>
  );
}
