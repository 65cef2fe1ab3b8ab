import './protection.css';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Faq } from '../../../../client/call.ts';
import { ButtonLink } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { Card, Empty, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Site, useSite } from '../../site.ts';
import { words } from '../../words.ts';
import { Talk } from './talk.tsx';

/** From this number of questions on, they can be searched. */
const MANY = 6;

/** Frequently asked questions, the operator's contact, and addresses of independent help. */
export function Help() {
  const { help } = words.protection;
  const faq = useRead('GET /faq', {}, { staleMs: 300_000 });
  const site = useSite();
  return (
    <div className="safer">
      <Page title={help.title} about={help.about}>
        <div className="columns">
          <Card title={help.faq}>
            <Loaded of={faq} skeleton={<Skeleton height={220} />}>
              {(questions) => <Questions of={questions} />}
            </Loaded>
          </Card>
          <div className="stack">
            {site && <Contact of={site} />}
            <Card title={help.gambling}>
              <div className="stack tight">
                <p className="dim">{help.signs}</p>
                <ButtonLink to="/protection" icon="shield" isWide>
                  {help.here}
                </ButtonLink>
              </div>
            </Card>
            <Talk />
          </div>
        </div>
      </Page>
    </div>
  );
}

function Questions({ of }: { of: readonly Faq[] }) {
  const { help } = words.protection;
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = of.filter((one) => `${one.title} ${one.text}`.toLowerCase().includes(wanted));
  if (of.length === 0) return <Empty art="no-results" title={help.noFaq} />;
  return (
    <div className="stack">
      {of.length >= MANY && (
        <Field
          name="question"
          label={help.search}
          icon="search"
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <div role="status">{found.length === 0 && <Empty title={help.noMatch(text.trim())} />}</div>
      <div>
        {found.map((one) => (
          <details key={one.id} className="question" name="question">
            <summary>
              <span className="grow">{one.title}</span>
              <Icon name="chevron-down" />
            </summary>
            <p>{one.text}</p>
          </details>
        ))}
      </div>
    </div>
  );
}

/** Support contact and the operator's documents. Each of them is optional. */
function Contact({ of: { supportEmail, termsUrl, privacyUrl, responsibleGamblingUrl } }: { of: Site }) {
  const { help } = words.protection;
  const pages = [
    { name: help.of.terms, href: termsUrl },
    { name: help.of.privacy, href: privacyUrl },
    { name: help.of.gambling, href: responsibleGamblingUrl },
  ].filter(({ href }) => href);
  return (
    <>
      {supportEmail && (
        <Card title={help.contact}>
          <div className="stack tight">
            <p className="dim">{help.contactHint}</p>
            <a href={`mailto:${supportEmail}`} className="button wide">
              <Icon name="mail" /> {supportEmail}
            </a>
          </div>
        </Card>
      )}
      {pages.length > 0 && (
        <Card title={help.rules}>
          <ul className="stack tight">
            {pages.map(({ name, href }) => (
              <li key={name}>
                <a href={href!} target="_blank" rel="noreferrer">
                  {name}
                </a>
              </li>
            ))}
            <li>
              <Link href="/fairness">{words.menu.fairness}</Link>
            </li>
          </ul>
        </Card>
      )}
    </>
  );
}
