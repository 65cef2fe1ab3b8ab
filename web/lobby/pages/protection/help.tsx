import { Link } from 'wouter';
import { Card, Empty, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Site, useSite } from '../../site.ts';
import { words } from '../../words.ts';

/** Frequently asked questions, and addresses of independent help. */
export function Help() {
  const { help } = words.protection;
  const faq = useRead('GET /faq', {}, { staleMs: 300_000 });
  const site = useSite();
  return (
    <Page title={help.title}>
      <div className="stack">
        <Card title={help.gambling}>
          <p>{help.signs}</p>
          <ul>
            {help.places.map(({ name, href, about }) => (
              <li key={href}>
                <a href={href} target="_blank" rel="noreferrer">
                  {name}
                </a>
                : {about}
              </li>
            ))}
          </ul>
          <p>
            {help.here} <Link href="/protection">{words.protection.title}</Link>
          </p>
        </Card>
        {site && <Contact of={site} />}
        <Card title={help.faq}>
          <Loaded of={faq}>
            {(questions) =>
              questions.length === 0 ? (
                <Empty>{help.noFaq}</Empty>
              ) : (
                questions.map(({ id, title, text }) => (
                  <details key={id} className="question">
                    <summary>{title}</summary>
                    <p>{text}</p>
                  </details>
                ))
              )
            }
          </Loaded>
        </Card>
      </div>
    </Page>
  );
}

/** Support contact and the operator's documents. Each of them is optional. */
function Contact({ of: { supportEmail, termsUrl, privacyUrl, responsibleGamblingUrl } }: { of: Site }) {
  const { help } = words.protection;
  const pages = [
    { name: help.of.gambling, href: responsibleGamblingUrl },
    { name: help.of.terms, href: termsUrl },
    { name: help.of.privacy, href: privacyUrl },
  ].filter(({ href }) => href);
  if (!supportEmail && pages.length === 0) return null;
  return (
    <Card title={supportEmail ? help.contact : help.rules}>
      {supportEmail && (
        <p>
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
        </p>
      )}
      <p className="actions">
        {pages.map(({ name, href }) => (
          <a key={name} href={href!} target="_blank" rel="noreferrer">
            {name}
          </a>
        ))}
      </p>
    </Card>
  );
}
