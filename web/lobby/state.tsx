import { Badge, type Tone } from '../kit/figures.tsx';

const GOOD = /^(COMPLETED|SUCCESS|HOLD_APPROVED|APPROVED|SENT)$/;
const BAD = /^(FAILED|FAIL|REJECTED|CANCELLED|EXPIRED|RETURNED|REVERSED|HOLD_RETURNED)$/;
/** Nothing has happened yet. */
const NEW = /^(NONE|CREATED)$/;

/** The tone of a payment or a check. One that is not finished is a warning. */
const toneOfPayment = (code: string): Tone | undefined =>
  GOOD.test(code) ? 'good' : BAD.test(code) ? 'bad' : NEW.test(code) ? undefined : 'warn';

type StateProps = {
  of: string;
  words: Readonly<Record<string, string>>;
  toneOf?: (code: string) => Tone | undefined;
};

/** Shows a status in words, with an icon and a colour. A code without a text is shown unchanged. */
export function State({ of, words, toneOf = toneOfPayment }: StateProps) {
  const tone = toneOf(of);
  return <Badge {...(tone && { tone })}>{words[of] ?? of}</Badge>;
}
