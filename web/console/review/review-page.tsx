import './review.css';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Op } from '../../../client/call.ts';
import { ButtonLink } from '../../kit/button.tsx';
import { Empty, Loaded, Page, takeFocus } from '../../kit/page.tsx';
import { missingRight, useMe } from '../../kit/session.tsx';
import { Queue, QueueTabs, useRows } from './queue.tsx';
import type { DecisionProps, Heading, ReviewSpec } from './spec.ts';

/** Makes the page on which staff review the cases of a queue one after the other. */
export function reviewPage<L extends Op, T>(spec: ReviewSpec<L, T>) {
  return function ReviewPage({ params: { id = '' } }: { params: { id?: string } }): ReactNode {
    const queue = useRows(spec, id);
    const found = spec.useCase(id);
    const [, go] = useLocation();
    const heading = useRef<HTMLHeadingElement>(null);
    const shown = useRef<string>(undefined);
    const isOpen = useIsOpen(id);
    const openNext = (decided: string) => {
      // Staff may have opened another case or page before the response arrived.
      if (!isOpen(decided)) return;
      const following = queue.next();
      if (following === undefined) takeFocus(heading.current);
      else go(queue.hrefOf(following));
    };
    return (
      <Page
        title={spec.title}
        filters={<QueueTabs spec={spec} queue={queue} id={id} />}
        actions={
          <ButtonLink to={spec.path} icon="list">
            Open list
          </ButtonLink>
        }
      >
        <div className="review">
          <Queue spec={spec} queue={queue} id={id} />
          <div className="case">
            {/* The data of another case must not be shown, because the buttons decide about this one. */}
            <Loaded key={id} of={{ ...found, isPending: found.isPending || found.isPlaceholderData }}>
              {(one) =>
                one === null ? (
                  <Empty art="no-results" title="Not found">
                    The link may be wrong.
                  </Empty>
                ) : (
                  <Shown
                    of={one as T}
                    id={id}
                    spec={spec}
                    heading={heading}
                    shown={shown}
                    onDone={() => openNext(id)}
                  />
                )
              }
            </Loaded>
          </div>
        </div>
      </Page>
    );
  };
}

/** Returns a function that reports whether a case is the one on the screen. */
function useIsOpen(id: string): (of: string) => boolean {
  const open = useRef<string>(undefined);
  useEffect(() => {
    open.current = id;
    return () => {
      open.current = undefined;
    };
  }, [id]);
  return (of) => open.current === of;
}

type ShownProps<T> = DecisionProps<T> & {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the operation of the queue does not matter to a case
  spec: ReviewSpec<any, T>;
  heading: RefObject<HTMLHeadingElement | null>;
  /** The case that was shown before. */
  shown: RefObject<string | undefined>;
};

function Shown<T>({
  of,
  id,
  spec: { headingOf, Body, Side, Decision, decides },
  heading,
  shown,
  onDone,
}: ShownProps<T>) {
  useEffect(() => {
    if (shown.current !== undefined && shown.current !== id) {
      takeFocus(heading.current);
      heading.current?.scrollIntoView({ block: 'nearest' });
    }
    shown.current = id;
  }, [heading, id, shown]);
  const me = useMe();
  const mayDecide = decides(of).some((op) => missingRight(me, op) === undefined);
  const shownHeading = headingOf(of);
  return (
    <>
      <Head of={shownHeading} heading={heading} />
      <div className="case-body">
        <div className="stack">
          <Body of={of} />
        </div>
        <div className="stack">
          <Side of={of} />
        </div>
      </div>
      <div className="case-foot">
        {mayDecide ? (
          <Decision of={of} onDone={onDone} />
        ) : (
          <>
            {shownHeading.badges}
            <span className="dim">You can view this case, but not decide it.</span>
          </>
        )}
      </div>
    </>
  );
}

type HeadProps = { of: Heading; heading: RefObject<HTMLHeadingElement | null> };

const Head = ({ of: { picture, title, about, badges }, heading }: HeadProps) => (
  <header className="case-head">
    {picture}
    <div className="grow">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p className="dim line wrap">{about}</p>
    </div>
    {badges}
  </header>
);
