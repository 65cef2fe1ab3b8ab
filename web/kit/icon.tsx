import sprite from 'virtual:icons.svg';
import type lucide from '@iconify-json/lucide/icons.json';

/** A name of https://lucide.dev/icons. Write it as a literal, because the build collects the names from the sources. */
export type IconName = keyof typeof lucide.icons | keyof typeof lucide.aliases;

type IconProps = {
  name: IconName;
  /** 16 to 22 pixels in text and buttons. */
  size?: number;
  /** Text for screen readers. Without it the icon is decoration. */
  label?: string;
};

/** Icons that point along the line of text. They are mirrored in right-to-left languages. */
const DIRECTED = /-(left|right)$|^(log-in|log-out|send|undo|redo)/;

export function Icon({ name, size = 18, label }: IconProps) {
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label or is decoration
    <svg
      className={DIRECTED.test(name) ? 'icon directed' : 'icon'}
      width={size}
      height={size}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
