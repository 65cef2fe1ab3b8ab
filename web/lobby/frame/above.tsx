import { Dialog } from '../../kit/dialog.tsx';
import { Segmented } from '../../kit/form/toggle.tsx';
import { Imported, lazily } from '../../kit/load.tsx';
import { Pick } from '../../kit/pick/pick.tsx';
import { chooseTheme, useTheme } from '../../kit/theme.ts';
import { chooseLanguage, LANGUAGES, type Language, languageNow, loadSection, words } from '../words.ts';
import { CHAT } from './navigation.ts';
import { useOverlay } from './overlay.ts';
import { Places } from './rail.tsx';
import { UnreadChat } from './unread-chat.tsx';

const Search = lazily(async () => {
  const [{ Search: Overlay }] = await Promise.all([import('./search.tsx'), loadSection('catalogue')]);
  return Overlay;
});
const Account = lazily(async () => {
  const [{ AccountDialog }] = await Promise.all([import('./account-dialog.tsx'), loadSection('account')]);
  return AccountDialog;
});
const News = lazily(async () => {
  const [{ NotificationDrawer }] = await Promise.all([
    import('./notification-drawer.tsx'),
    loadSection('news'),
  ]);
  return NotificationDrawer;
});

const Wallet = lazily(async () => {
  const [{ Wallet: Parts }] = await Promise.all([import('../pages/wallet/wallet.tsx'), loadSection('money')]);
  return Parts;
});

/** The dialog above the page, by its name in the address. */
export function Above({ isIn, isExcluded }: { isIn: boolean; isExcluded: boolean }) {
  const show = useOverlay('show');
  const account = useOverlay('account');
  const wallet = useOverlay('wallet');
  return (
    <Imported>
      {account.value && !isIn && <Account at={account.value} onClose={account.close} />}
      {wallet.value &&
        (isIn ? (
          <Wallet at={wallet.value} onClose={wallet.close} />
        ) : (
          <Account at="sign-in" onClose={wallet.close} />
        ))}
      {show.value === 'search' && <Search onClose={show.close} />}
      {show.value === 'notifications' && isIn && <News onClose={show.close} />}
      {show.value === 'appearance' && <Appearance onClose={show.close} />}
      {show.value === 'menu' && (
        <Dialog title={words.frame.menu} onClose={show.close} className="menu-sheet">
          <nav aria-label={words.frame.main}>
            <Places isExcluded={isExcluded} more={isIn ? [{ ...CHAT, end: <UnreadChat /> }] : []} />
          </nav>
        </Dialog>
      )}
    </Imported>
  );
}

/** Theme and language, also for visitors. */
function Appearance({ onClose }: { onClose: () => void }) {
  const theme = useTheme();
  return (
    <Dialog title={words.frame.appearance} onClose={onClose}>
      <Segmented label={words.frame.theme} of={words.frame.themes} value={theme} onChange={chooseTheme} />
      <Pick
        label={words.frame.language}
        options={Object.entries(LANGUAGES).map(([value, text]) => ({ value, text }))}
        value={languageNow()}
        onChange={(language) => chooseLanguage(language as Language)}
      />
    </Dialog>
  );
}
