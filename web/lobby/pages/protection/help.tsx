import { Link } from 'wouter';
import { Card, Empty, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';

/** Questions and answers, and where somebody helps who is not us. */
export function Help() {
  const { help } = words.protection;
  const faq = useRead('GET /faq', {}, { staleMs: 300_000 });
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
