type Tone = 'good' | 'bad' | 'open';
const MARK = { good: '✓', bad: '✕', open: '●' } as const;

const GOOD = /^(COMPLETED|SUCCESS|HOLD_APPROVED|APPROVED|SENT)$/;
const BAD = /^(FAILED|FAIL|REJECTED|CANCELLED|EXPIRED|RETURNED|REVERSED|HOLD_RETURNED)$/;
const toneOf = (code: string): Tone => (GOOD.test(code) ? 'good' : BAD.test(code) ? 'bad' : 'open');

/** Shows a status as text with a symbol, so that it can be recognised without colours. A code without a text is shown unchanged. */
export function State({ of, words }: { of: string; words: Readonly<Record<string, string>> }) {
  const tone = toneOf(of);
  return (
    <span className={`status ${tone}`}>
      <span aria-hidden="true">{MARK[tone]}</span> {words[of] ?? of}
    </span>
  );
}
