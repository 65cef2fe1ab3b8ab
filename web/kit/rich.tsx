import { Fragment, type ReactNode } from 'react';

const PART = /\[([^\]]+)\]\((\w+)\)/g;

type RichProps = {
  /** A text with named parts, such as `I agree to the [terms](terms).` */
  of: string;
  /** Renders each part by its name. A part without an entry is shown as plain text. */
  parts: Readonly<Record<string, ((text: string) => ReactNode) | undefined>>;
};

/** Shows a translated text whose parts are links or stressed, so that translators keep whole sentences. */
export const Rich = ({ of, parts }: RichProps) => (
  <>
    {of.split(PART).map((piece, at, all) => {
      // `split` returns text, part and name in turns.
      if (at % 3 === 2) return null;
      const part = at % 3 === 1 ? parts[all[at + 1]!] : undefined;
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no identity but their place
      return <Fragment key={at}>{part ? part(piece) : piece}</Fragment>;
    })}
  </>
);
