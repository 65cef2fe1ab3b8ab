import type { create } from 'qrcode';
// @ts-expect-error The encoder without the canvas renderer has no type declarations.
import { create as untyped } from 'qrcode/lib/core/qrcode.js';

const encode = untyped as typeof create;

/** Width of the quiet zone (the empty border), which scanners require. */
const MARGIN = 4;

/** A QR code of exactly this text, drawn as one SVG path. It is dark on a light background in both themes. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  for (let i = 0; i < data.length; i++)
    if (data[i]) path += `M${MARGIN + (i % size)} ${MARGIN + Math.floor(i / size)}h1v1h-1z`;
  const side = size + 2 * MARGIN;
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${side} ${side}`}
      width={200}
      height={200}
      role="img"
      aria-label={label}
    >
      <rect width={side} height={side} fill="#ffffff" />
      <path d={path} fill="#000000" shapeRendering="crispEdges" />
    </svg>
  );
}
