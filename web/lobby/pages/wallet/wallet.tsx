import './wallet.css';
import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { Boundary } from '../../../kit/boundary.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Loading } from '../../../kit/page.tsx';
import { useCentred } from '../../../kit/tabs.tsx';
import { Notice } from '../../excluded.tsx';
import { useExclusion } from '../../exclusion.ts';
import { type Overlays, useOverlayLink } from '../../frame/overlay.ts';
import { words } from '../../words.ts';
import { useMethods } from './parts.tsx';

type Part = Overlays['wallet'];

const PARTS: Readonly<Record<Part, ComponentType>> = {
  overview: lazily(async () => (await import('./overview.tsx')).Overview),
  deposit: lazily(async () => (await import('./deposit.tsx')).Deposit),
  withdraw: lazily(async () => (await import('./withdraw.tsx')).Withdraw),
  vault: lazily(async () => (await import('./vault.tsx')).Vault),
  skins: lazily(async () => (await import('./skins.tsx')).Skins),
  history: lazily(async () => (await import('./history.tsx')).History),
};

/** Excluded players cannot use these. */
const FOR_PLAY: readonly Part[] = ['deposit', 'skins'];

/** The wallet above the page that the player is on. Each of its parts has an address. */
export function Wallet({ at, onClose }: { at: Part; onClose: () => void }) {
  const excluded = useExclusion();
  const part = Object.hasOwn(PARTS, at) ? at : 'overview';
  const Content = PARTS[part];
  return (
    <Dialog title={words.money.title} onClose={onClose} isWide className="wallet">
      <Ways at={part} />
      {excluded && FOR_PLAY.includes(part) ? (
        <Notice of={excluded} />
      ) : (
        <Boundary at={part}>
          <Imported fallback={<Loading />}>
            <Content />
          </Imported>
        </Boundary>
      )}
    </Dialog>
  );
}

function Ways({ at }: { at: Part }) {
  const { money } = words;
  const link = useOverlayLink();
  const methods = useMethods('DEPOSIT');
  const hasSkins = at === 'skins' || methods.data?.some(({ type }) => type === 'SKINS');
  const current = useCentred(`${at} ${hasSkins}`);
  return (
    <nav className="ways" aria-label={money.parts}>
      {(Object.keys(PARTS) as Part[])
        .filter((part) => part !== 'skins' || hasSkins)
        .map((part) => (
          <Link
            key={part}
            href={link('wallet', part)}
            ref={part === at ? current : null}
            aria-current={part === at ? 'page' : undefined}
          >
            {money[part].title}
          </Link>
        ))}
    </nav>
  );
}
