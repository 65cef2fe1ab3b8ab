type Value = string | number;

/** Returns an SVG or HTML element as a string. Attributes are escaped, but children must already be markup. */
export function el(tag: string, attributes: Readonly<Record<string, Value>>, ...children: string[]): string {
  const text = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(typeof value === 'number' ? short(value) : value)}"`)
    .join('');
  return `<${tag}${text}>${children.join('')}</${tag}>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns a picture that shrinks on narrow screens and never exceeds its natural size. `label` is the text for screen readers. */
export function picture(width: number, height: number, label: string, parts: readonly string[]): string {
  const attributes = { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label };
  return el('svg', { ...attributes, style: `max-width:${width}px` }, ...parts);
}

/** Returns a function that converts values to pixels. Values outside the range are drawn at the edge. */
export function scale(from: readonly [number, number], to: readonly [number, number]) {
  const [low, high] = from;
  return (value: number): number => {
    const part = (Math.min(Math.max(value, low), high) - low) / (high - low || 1);
    return to[0] + part * (to[1] - to[0]);
  };
}

export const line = (x1: number, y1: number, x2: number, y2: number, kind: string): string =>
  el('line', { x1, y1, x2, y2, class: kind });

export const box = (x: number, y: number, width: number, height: number, kind: string): string =>
  el('rect', { x, y, width: Math.max(0, width), height: Math.max(0, height), class: kind });

export const label = (x: number, y: number, text: string, kind: string): string =>
  el('text', { x, y, class: kind }, escaped(text));

export const tip = (text: string): string => el('title', {}, escaped(text));

export function path(points: readonly (readonly [number, number])[], kind: string): string {
  return el('polyline', { points: points.map(([x, y]) => `${short(x)},${short(y)}`).join(' '), class: kind });
}

export function area(points: readonly (readonly [number, number])[], kind: string): string {
  return el('polygon', { points: points.map(([x, y]) => `${short(x)},${short(y)}`).join(' '), class: kind });
}

const short = (value: number): string => String(Math.round(value * 100) / 100);
