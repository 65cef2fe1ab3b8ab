import { Check } from '../../kit/form/choice.tsx';
import { Rich } from '../../kit/rich.tsx';
import { useSite } from '../site.ts';
import { words } from '../words.ts';

/** Age and agreement to the operator's documents, which open in a new tab so that the form keeps its values. */
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
          of={words.account.entry.consent(site?.minimumAge ?? 18)}
          parts={{ terms: linkTo(site?.termsUrl), privacy: linkTo(site?.privacyUrl) }}
        />
      }
      required
    />
  );
}
