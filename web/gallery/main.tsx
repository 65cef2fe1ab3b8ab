import '../kit/base.css';
import './gallery.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { Boundary } from '../kit/boundary.tsx';
import { Page } from '../kit/page.tsx';
import { queries } from '../kit/query.ts';
import { showTheme } from '../kit/theme.ts';
import { Toasts } from '../kit/toast.tsx';
import { FieldsShown, PicksShown } from './fields.tsx';
import { ButtonsShown, FiguresShown, SurfacesShown, TablesShown } from './shown.tsx';

showTheme();
document.documentElement.dir = new URLSearchParams(location.search).get('dir') ?? 'ltr';

/** Every component of the kit in every state, for tests and for looking at them. It is not part of the product. */
const Shelf = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="card" aria-label={title}>
    <h2>{title}</h2>
    <Boundary>{children}</Boundary>
  </section>
);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base="/gallery">
        <Page title="Gallery">
          <div className="shelves">
            <Shelf title="Buttons">
              <ButtonsShown />
            </Shelf>
            <Shelf title="Fields">
              <FieldsShown />
            </Shelf>
            <Shelf title="Lists and menus">
              <PicksShown />
            </Shelf>
            <Shelf title="Figures">
              <FiguresShown />
            </Shelf>
            <Shelf title="Surfaces">
              <SurfacesShown />
            </Shelf>
            <Shelf title="Tables">
              <TablesShown />
            </Shelf>
          </div>
        </Page>
      </Router>
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
