type Child = Node | string | number | null | undefined | readonly Child[];
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an element. Data from outside is inserted only as text, never as HTML. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(name), attributes, children);
}

/** Creates an SVG element. */
export function svg(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Creates a drawing of `width` by `height`. `label` describes the drawing for screen readers. */
export function picture(
  label: string,
  [width, height]: readonly [number, number],
  ...parts: Child[]
): SVGElement {
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label }, ...parts);
}

export function label(x: number, y: number, content: string | number, kind = ''): SVGElement {
  return svg('text', { x, y, class: kind, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, content);
}

function filled<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  append(element, children);
  return element;
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}
