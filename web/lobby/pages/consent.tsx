import { Check } from '../../kit/form/choice.tsx';
import { Rich } from '../../kit/rich.tsx';
import { useSite } from '../site.ts';
import { words } from '../words.ts';
import { documentsOf } from './documents.ts';

/**
 * Age and agreement to the operator's documents, which open in a new tab so that the form keeps its values. Documents without an address
 * are not named, because no one can agree to a text that cannot be read.
 */
export function Consent() {
  const site = useSite();
  const linkTo = (url: string | null | undefined) =>
    url
      ? (text: string) => (
          <a href={url} target="_blank" rel="noreferrer">
            {text}
          </a>
        )
      : undefined;
  return (
    <Check
      name="adult"
      label={
        <Rich
          of={words.account.entry.consent[documentsOf(site)](site?.minimumAge ?? 18)}
          parts={{ terms: linkTo(site?.termsUrl), privacy: linkTo(site?.privacyUrl) }}
        />
      }
      required
    />
  );
}
