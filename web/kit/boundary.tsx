import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Art, type ArtName } from './figures.tsx';
import { importAgain } from './load.tsx';
import { kit } from './words.ts';

type Props = {
  children: ReactNode /** A change of this value shows the children again, for example after navigation. */;
  at?: string;
};
type State = { error: unknown; at: string | undefined };

const isLost = (error: unknown) =>
  error instanceof TypeError && /import|module|fetch|load/i.test(error.message);

/** Shows a message in place of children that failed, instead of an empty page. The rest of the page and the session stay. React supports
 * this in classes only. */
export class Boundary extends Component<Props, State> {
  override state: State = { error: undefined, at: this.props.at };

  static getDerivedStateFromError = (error: unknown): Partial<State> => ({ error });

  static getDerivedStateFromProps({ at }: Props, state: State): Partial<State> | null {
    if (at === state.at) return null;
    if (state.error !== undefined) importAgain();
    return { at, error: undefined };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const again = () => {
      importAgain();
      this.setState({ error: undefined });
    };
    return <Failed isLost={isLost(error)} onRetry={again} />;
  }
}

function Failed({ isLost: isPageLost, onRetry }: { isLost: boolean; onRetry: () => void }) {
  const art: ArtName = isPageLost ? 'offline' : 'no-results';
  return (
    <main id="page" tabIndex={-1} className="failed">
      <div className="empty" role="alert">
        <Art name={art} />
        <h1>{isPageLost ? kit.lost : kit.crashed}</h1>
        <p>{isPageLost ? kit.lostHint : kit.crashedHint}</p>
        <div className="actions">
          <Button kind="main" icon="refresh-cw" onClick={onRetry}>
            {kit.again}
          </Button>
          <Button onClick={() => window.location.reload()}>{kit.reload}</Button>
        </div>
      </div>
    </main>
  );
}
