import { exactly, figures, moment, money } from './intl.ts';
import { kit } from './words.ts';

const BITCOIN =
  'M9 6.5h4.2a2.6 2.6 0 0 1 1 5 2.9 2.9 0 0 1-.6 6H9Zm2.2 2v2.3h1.7a1.1 1.1 0 0 0 0-2.3Zm0 4.3v2.7h2.1a1.3 1.3 0 0 0 0-2.7Z';
const DOLLAR =
  'M11 5.5h2v1.4c1.6.3 2.7 1.3 2.9 2.8h-2.2c-.2-.7-.8-1.1-1.7-1.1-1 0-1.6.4-1.6 1.1 0 1.7 5.8.6 5.8 4.4 0 1.7-1.2 2.8-3.2 3.1v1.4h-2v-1.4c-1.9-.3-3-1.4-3.2-3.1h2.2c.2.9.9 1.4 2 1.4s1.9-.4 1.9-1.2c0-1.8-5.8-.7-5.8-4.4 0-1.6 1.1-2.7 2.9-3Z';

/** The sign of each coin on its colour, in a square of 24 by 24 units. */
const COINS: Readonly<Record<string, readonly [colour: string, sign: string]>> = {
  USDT: [
    '#1f8a66',
    'M7 7h10v3h-3.6v1.2c2.6.2 4.6.8 4.6 1.5s-2 1.3-4.6 1.5V18h-2.8v-3.8C8 14 6 13.4 6 12.7s2-1.3 4.6-1.5V10H7Z',
  ],
  BTC: ['#f7931a', BITCOIN],
  ETH: ['#627eea', 'm12 5 4.5 7.2L12 15l-4.5-2.8Zm0 11.3 4.5-2.8-4.5 6-4.5-6Z'],
  LTC: ['#5a7fb8', 'M10.5 6h2.3l-1.3 5 1.8-.7-.5 1.8-1.8.7-.7 2.7h5.2l-.5 2H7.6l1-4-1.2.5.5-1.8 1.2-.5Z'],
  SOL: ['#8b5cf6', 'M8.5 7.5H17l-2 2H6.5ZM6.5 11H15l2 2H8.5ZM8.5 14.5H17l-2 2H6.5Z'],
  USD: ['#2f9e63', DOLLAR],
  USDC: [
    '#2775ca',
    `${DOLLAR}M9 4.6v1.6a6.2 6.2 0 0 0 0 11.6v1.6a7.8 7.8 0 0 1 0-14.8ZM15 4.6a7.8 7.8 0 0 1 0 14.8v-1.6a6.2 6.2 0 0 0 0-11.6Z`,
  ],
  TRX: [
    '#eb0029',
    'M5.6 6.3l11 2.1 2.4 2.4-7.7 8.1Zm2 1.9 4.2 2.5 2.9-1.6Zm.4 1.4 2.7 6 .6-4.2Zm4.9 2.3-.6 4.2 3.6-4.9Z',
  ],
  DOGE: [
    '#b59a30',
    'M8.5 6.5h3.9a5.5 5.5 0 0 1 0 11H8.5V13H7v-2h1.5Zm2.3 2.2V11h2.7v2h-2.7v2.3h1.6a3.3 3.3 0 0 0 0-6.6Z',
  ],
  BNB: [
    '#d9a514',
    'm12 5 3.3 3.3-1.6 1.6L12 8.2l-1.7 1.7-1.6-1.6ZM5 12l1.6-1.6L8.2 12l-1.6 1.6Zm7-1.8L13.8 12 12 13.8 10.2 12Zm3.8 1.8 1.6-1.6L19 12l-1.6 1.6ZM12 15.8l1.7-1.7 1.6 1.6L12 19l-3.3-3.3 1.6-1.6Z',
  ],
  XRP: [
    '#3a4654',
    'M6 6h2.3l3.7 3.7L15.7 6H18l-4.9 4.9a1.6 1.6 0 0 1-2.2 0Zm0 12 4.9-4.9a1.6 1.6 0 0 1 2.2 0L18 18h-2.3L12 14.3 8.3 18Z',
  ],
  BCH: ['#0ac18e', BITCOIN],
};

/** The sign of a currency. A currency without a drawing shows its first letter. */
export function Coin({ of, size = 20 }: { of: string; size?: number }) {
  const known = COINS[of];
  return (
    <svg className="coin" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <circle cx="12" cy="12" r="12" fill={known?.[0] ?? '#5b6472'} />
      {known ? (
        <path d={known[1]} fill="#fff" fillRule="evenodd" />
      ) : (
        <text x="12" y="16.5" textAnchor="middle" fontSize="13" fontWeight="700" fill="#fff">
          {of.charAt(0)}
        </text>
      )}
    </svg>
  );
}

type AmountProps = {
  of: string | null | undefined;
  /** The currency. Without it only the figures are shown, with up to eight decimals. */
  in?: string | undefined;
  /** Shows the coin in place of the currency's name. */
  hasCoin?: boolean;
};

/** An amount in the language of the page, rounded towards zero for reading. The exact amount is the tooltip. */
export function Amount({ of, in: currency, hasCoin = false }: AmountProps) {
  if (of === null || of === undefined) return <span className="dim">–</span>;
  return (
    <span className="amount" translate="no" title={currency ? `${of} ${currency}` : of}>
      {currency && !hasCoin ? money(of, currency) : figures(of, currency ?? '')}
      {currency && hasCoin && (
        <>
          <Coin of={currency} size={18} />
          <span className="hidden"> {currency}</span>
        </>
      )}
    </span>
  );
}

export const Usd = ({ of }: { of: string | number | null | undefined }) => (
  <Amount of={of === null || of === undefined ? of : String(of)} in="USD" />
);

/** Shows a timestamp in the reader's time zone. Its tooltip shows the seconds and UTC. */
export function When({ at }: { at: string | null | undefined }) {
  if (!at) return <span className="dim">–</span>;
  return (
    <time dateTime={at} title={`${exactly(at)} · ${at}`} lang={kit.locale}>
      {moment(at)}
    </time>
  );
}
