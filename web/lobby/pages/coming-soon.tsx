import './protection/protection.css';
import { useState } from 'react';
import { call } from '../../kit/api.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { useCaptcha, useWork } from '../../kit/entry.tsx';
import { Badge } from '../../kit/figures.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Fields } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { Icon } from '../../kit/icon.tsx';
import { moment } from '../../kit/intl.ts';
import { Note } from '../../kit/note.tsx';
import { Card, Empty, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { keptReferral } from '../referral.ts';
import { words } from '../words.ts';

/** An upcoming feature, with a form in which visitors can ask for a mail at its launch. */
export function ComingSoon() {
  const info = useRead('GET /coming-soon', {});
  const { soon } = words.protection;
  return (
    <div className="entry">
      <Page title={soon.title} of={info}>
        {({ enabled, launchAt, features }) =>
          enabled || features.length > 0 ? (
            <div className="stack">
              <Card title={soon.features}>
                <div className="stack">
                  {launchAt && (
                    <Badge tone="accent" icon="calendar">
                      {soon.at(moment(launchAt))}
                    </Badge>
                  )}
                  <ul className="stack tight">
                    {features.map((feature) => (
                      <li key={feature} className="line">
                        <Icon name="sparkles" size={16} /> {feature}
                      </li>
                    ))}
                  </ul>
                </div>
              </Card>
              {enabled && <Subscribe />}
            </div>
          ) : (
            <Card>
              <Empty
                art="no-notices"
                title={soon.nothing}
                action={
                  <ButtonLink to="/games" kind="main">
                    {words.page.browse}
                  </ButtonLink>
                }
              >
                {soon.nothingHint}
              </Empty>
            </Card>
          )
        }
      </Page>
    </div>
  );
}

function Subscribe() {
  const { soon } = words.protection;
  const [isDone, setDone] = useState(false);
  const captcha = useCaptcha();
  const { refused, isBusy, run } = useWork(async (filled: Filled) => {
    const affiliateCode = keptReferral();
    const body = { email: filled.text('email'), affiliateCode };
    await call('POST /coming-soon/subscribe', { body }, { captcha: captcha.take() });
    setDone(true);
  });
  return (
    <Card title={soon.notify}>
      <div role="status">{isDone && <Note kind="good">{soon.done}</Note>}</div>
      {!isDone && (
        <Fields refused={refused} onSend={run}>
          <p className="dim">{soon.notifyHint}</p>
          <Field
            name="email"
            label={words.entry.email}
            type="email"
            icon="mail"
            required
            autoComplete="email"
          />
          <div ref={captcha.place} />
          <Button type="submit" kind="main" isWide isBusy={isBusy}>
            {soon.tell}
          </Button>
        </Fields>
      )}
    </Card>
  );
}
