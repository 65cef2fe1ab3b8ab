import { useState } from 'react';
import { When } from '../../kit/amount.tsx';
import { call } from '../../kit/api.ts';
import { Submit, useCaptcha, useSubmit } from '../../kit/entry.tsx';
import { Page, Refusal } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { keptReferral } from '../referral.ts';
import { words } from '../words.ts';

/** An upcoming feature, with a form in which visitors can ask for a mail at its launch. */
export function ComingSoon() {
  const info = useRead('GET /coming-soon', {});
  const t = words.soon;
  return (
    <Page title={t.title} of={info}>
      {({ enabled, launchAt, features }) => (
        <div className="stack entry">
          {!enabled && <p>{t.nothing}</p>}
          {launchAt && (
            <p>
              {t.at} <When at={launchAt} />
            </p>
          )}
          {features.length > 0 && (
            <ul>
              {features.map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
          )}
          {enabled && <Subscribe />}
        </div>
      )}
    </Page>
  );
}

function Subscribe() {
  const [isDone, setDone] = useState(false);
  const captcha = useCaptcha();
  const { refused, isBusy, submit } = useSubmit(async (data) => {
    const affiliateCode = keptReferral();
    const body = { email: String(data.get('email')).trim(), affiliateCode };
    await call('POST /coming-soon/subscribe', { body }, { captcha: captcha.take() });
    setDone(true);
  });
  if (isDone) return <p role="status">✓ {words.soon.done}</p>;
  return (
    <form className="form card" onSubmit={submit}>
      {refused && <Refusal of={refused} fields={refused.fields} />}
      <label className="field">
        <span>{words.entry.email}</span>
        <input name="email" type="email" required autoComplete="email" />
      </label>
      <div ref={captcha.place} />
      <div className="actions">
        <Submit isBusy={isBusy}>{words.soon.tell}</Submit>
      </div>
    </form>
  );
}
