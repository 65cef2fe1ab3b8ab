/**
 * Moves the focus between the links of rows, or between their boxes if they have no links. If the focus is elsewhere, it starts from the
 * row of the current page. Without such a row, it focuses the first one.
 */
export function focusRow(within: ParentNode, step: 1 | -1): void {
  const links = [...within.querySelectorAll<HTMLElement>('[data-row]')];
  const focused = links.indexOf(document.activeElement as HTMLElement);
  const at = focused < 0 ? links.findIndex((link) => link.hasAttribute('aria-current')) : focused;
  links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
}

/** True if the key press is part of a text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');
