import './avatar.css';

const HUES = ['#4a5be0', '#b03a8f', '#0b7a4c', '#b34f1c', '#1f6fae', '#7a3fe0', '#8a6508', '#b52f42'];
const hueOf = (name: string) =>
  HUES[[...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7) % 8]!;

/** A player's picture, or the first letter of the name on a colour that depends on the name. */
export function Avatar({ name, image, size = 32 }: { name: string; image?: string | null; size?: number }) {
  const box = { width: size, height: size, fontSize: size * 0.4 };
  if (image) return <img className="avatar" src={image} alt="" style={box} />;
  return (
    <span className="avatar" aria-hidden="true" style={{ ...box, background: hueOf(name) }}>
      {name.charAt(0).toUpperCase()}
    </span>
  );
}
