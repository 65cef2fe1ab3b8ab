import { ButtonLink } from '../kit/button.tsx';
import { Empty, Page } from '../kit/page.tsx';
import { useOverlayLink } from './frame/overlay.ts';
import { words } from './words.ts';

type NotFoundProps = { title?: string; hint?: string };

/** A page or a game that does not exist, with a way on. */
export function NotFound({ title = words.page.missing, hint = words.page.missingHint }: NotFoundProps) {
  const link = useOverlayLink();
  return (
    <Page title={title} isTitleHidden>
      <Empty
        art="no-results"
        title={title}
        action={
          <>
            <ButtonLink to="/games" kind="main">
              {words.page.browse}
            </ButtonLink>
            <ButtonLink to={link('show', 'search')} icon="search">
              {words.search.title}
            </ButtonLink>
          </>
        }
      >
        {hint}
      </Empty>
    </Page>
  );
}
