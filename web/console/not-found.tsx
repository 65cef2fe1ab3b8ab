import { ButtonLink } from '../kit/button.tsx';
import { Empty, Page } from '../kit/page.tsx';

/** Shown at an address that no page has. */
export const NotFound = () => (
  <Page title="Page not found">
    <Empty art="no-results" action={<ButtonLink to="/">Go to the first page</ButtonLink>}>
      Check the address, or search for the page at the top.
    </Empty>
  </Page>
);
