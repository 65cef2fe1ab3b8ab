import './promo.css';
import type { ReactNode } from 'react';

type PartProps = { title: string; about: string; children: ReactNode };

/** A section of the form: its title at the left, its fields at the right. */
export const Part = ({ title, about, children }: PartProps) => (
  <section className="form-part">
    <header>
      <h3>{title}</h3>
      <p className="dim sm">{about}</p>
    </header>
    <div>{children}</div>
  </section>
);
