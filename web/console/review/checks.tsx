import type { ReactNode } from 'react';
import { ButtonLink } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { plural } from '../../kit/intl.ts';
import { type Check, MARKS } from './spec.ts';

type ChecksProps = { of: readonly Check[]; title?: string; children?: ReactNode };

/** Checks with their results. Failed checks and warnings come first. */
export function Checks({ of, title = 'Checks', children }: ChecksProps) {
  const passed = of.filter(({ kind }) => kind === 'good').length;
  const open = of.filter(({ kind }) => kind === 'warn' || kind === 'bad').length;
  return (
    <section className="case-checks">
      <header className="line wrap between">
        <h3>{title}</h3>
        <span className="line xs">
          {children}
          {passed > 0 && (
            <span className="good">{plural(passed, { one: '# passed', other: '# passed' })}</span>
          )}
          {open > 0 && (
            <span className="warn">{plural(open, { one: '# to look at', other: '# to look at' })}</span>
          )}
        </span>
      </header>
      <ul>
        {of
          .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
          .map((check) => (
            <CheckRow key={check.name} of={check} />
          ))}
      </ul>
    </section>
  );
}

const ORDER: readonly Check['kind'][] = ['bad', 'warn', 'plain', 'good'];

function CheckRow({ of: { kind, name, about, end, to } }: { of: Check }) {
  return (
    <li>
      <span className={kind === 'plain' ? 'faint' : kind}>
        <Icon name={MARKS[kind].icon} size={18} label={MARKS[kind].label} />
      </span>
      <div>
        <strong>{name}</strong>
        {about && <p className="xs dim">{about}</p>}
      </div>
      <span className="line">
        {end && <span className={`xs nowrap ${kind === 'plain' ? 'dim' : kind}`}>{end}</span>}
        {to && (
          <ButtonLink to={to} size="sm" label={`Open: ${name}`}>
            Open
          </ButtonLink>
        )}
      </span>
    </li>
  );
}
