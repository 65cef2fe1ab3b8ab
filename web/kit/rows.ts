/** Moves the focus between the links of rows, or between their boxes if they have no links. If the focus is elsewhere, focuses the first row. */
export function focusRow(within: ParentNode, step: 1 | -1): void {
  const links = [...within.querySelectorAll<HTMLElement>('[data-row]')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
}
