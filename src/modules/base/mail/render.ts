import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { z } from 'zod';
import { LANGUAGES, type Language } from './languages.ts';
import { FACTS, type Texts } from './locales/texts.ts';
import { MailData, type Template } from './schemas.ts';

export type Rendered = { subject: string; text: string; html: string };

/** Renders emails from the compiled templates (`npm run build mail`). Eta escapes values in the HTML part. */
export function createRender({ brand, site }: { brand: string; site: string }) {
  const html = load(new Eta({ autoEscape: true, autoTrim: false }), 'html');
  const text = load(new Eta({ autoEscape: false, autoTrim: false }), 'text', ['layout']);
  return <T extends Template>(
    template: T,
    language: Language,
    data: z.output<(typeof MailData)[T]>,
  ): Rendered => {
    const { mails, labels, orCopy, automatic } = LANGUAGES[language];
    const t = wordsOf(mails[template], { ...data, brand });
    const facts = factsOf(data, labels, language);
    const view = { t, d: data, facts, brand, site, language, orCopy, automatic };
    const content = text(template, view);
    return {
      subject: t.subject!,
      html: html(template, view),
      text: `${text('layout', { ...view, content })
        .replace(/\n{3,}/g, '\n\n')
        .trim()}\n`,
    };
  };
}

function load(eta: Eta, kind: 'html' | 'text', more: string[] = []) {
  for (const name of [...Object.keys(MailData), ...more]) {
    const file = new URL(`./templates/${name}.${kind}.eta`, import.meta.url);
    eta.loadTemplate(`@${name}`, readFileSync(file, 'utf8'));
  }
  return (name: string, view: object) => eta.render(`@${name}`, view);
}

function wordsOf(texts: Texts['mails'][Template], facts: object): Record<string, string> {
  const entries = Object.entries(texts as Record<string, string | ((facts: object) => string)>);
  return Object.fromEntries(
    entries.map(([name, words]) => [name, typeof words === 'string' ? words : words(facts)]),
  );
}

/** The known facts in a fixed order, formatted for the language of the email. */
function factsOf(data: object, labels: Texts['labels'], language: Language) {
  const known = data as Partial<Record<(typeof FACTS)[number], string>>;
  return FACTS.filter((name) => known[name]).map((name) => ({
    label: labels[name],
    value: inWords(name, known[name]!, language),
  }));
}

function inWords(name: (typeof FACTS)[number], value: string, language: Language): string {
  if (name === 'at') {
    const form = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
    return `${new Intl.DateTimeFormat(language, form).format(new Date(value))} UTC`;
  }
  if (name === 'country' && /^[A-Z]{2}$/.test(value))
    return new Intl.DisplayNames(language, { type: 'region' }).of(value) ?? value;
  return value;
}
