import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../../kit/icon.tsx';

type SettingProps = {
  icon: IconName;
  title: ReactNode;
  /** Beside the title, such as a badge. */
  state?: ReactNode;
  actions?: ReactNode;
  /** A dialog that the actions open. */
  dialog?: ReactNode;
  children?: ReactNode;
};

/** One setting of a list: what it is, its state, and what one can do with it. */
export const Setting = ({ icon, title, state, actions, dialog, children }: SettingProps) => (
  <li className="setting">
    <span className="sign">
      <Icon name={icon} />
    </span>
    <div className="grow">
      <h3 className="line">
        {title} {state}
      </h3>
      <div className="sm dim">{children}</div>
    </div>
    {actions && <div className="actions">{actions}</div>}
    {dialog}
  </li>
);

/** A card with settings, one below the other. */
export const Settings = ({ title, children }: { title?: string; children: ReactNode }) => (
  <section className="card settings">
    {title && (
      <header>
        <h2>{title}</h2>
      </header>
    )}
    <ul>{children}</ul>
  </section>
);
