import { Icon } from '../../kit/icon.tsx';
import { withNonce } from '../setup-nonce.ts';
import { useSite } from '../site.ts';
import { words } from '../words.ts';

/** The four parts of Google's sign, whose colours its rules prescribe. */
const GOOGLE: readonly (readonly [colour: string, path: string])[] = [
  ['#4285f4', 'M22.6 12.3c0-.8-.1-1.5-.2-2.3H12v4.3h5.9a5 5 0 0 1-2.2 3.3v2.8h3.6a10.9 10.9 0 0 0 3.3-8.1Z'],
  [
    '#34a853',
    'M12 23c3 0 5.5-1 7.3-2.6l-3.6-2.8a6.8 6.8 0 0 1-3.7 1 6.5 6.5 0 0 1-6.1-4.5H2.2v2.8A11 11 0 0 0 12 23Z',
  ],
  ['#fbbc05', 'M5.9 14.1a6.6 6.6 0 0 1 0-4.2V7.1H2.2a11 11 0 0 0 0 9.8l3.7-2.8Z'],
  ['#ea4335', 'M12 5.4c1.6 0 3.1.6 4.2 1.6l3.2-3.1A11 11 0 0 0 2.2 7.1l3.7 2.8A6.5 6.5 0 0 1 12 5.4Z'],
];

const Google = () => (
  <svg viewBox="0 0 24 24" width={18} height={18} aria-hidden="true">
    {GOOGLE.map(([colour, path]) => (
      <path key={colour} d={path} fill={colour} />
    ))}
  </svg>
);

const Sign = ({ of }: { of: string }) =>
  of === 'google' ? <Google /> : <Icon name={of === 'steam' ? 'gamepad-2' : 'log-in'} />;

/** Links to the identity providers, which redirect to the landing page afterwards. `isFirst`: the text follows them. */
export function Providers({ text, isFirst = false }: { text: string; isFirst?: boolean }) {
  const all = useSite()?.identityProviders ?? [];
  if (all.length === 0) return null;
  const names: Readonly<Record<string, string>> = words.entry.provider;
  const links = (
    <div className="line">
      {all.map(({ name, path }) => (
        <a key={name} href={withNonce(path)} className="button grow">
          <Sign of={name} />
          {names[name] ?? name}
        </a>
      ))}
    </div>
  );
  const rule = (
    <div className="line">
      <hr className="grow" />
      <span className="xs faint nowrap">{text}</span>
      <hr className="grow" />
    </div>
  );
  return (
    <>
      {isFirst && links}
      {rule}
      {!isFirst && links}
    </>
  );
}
