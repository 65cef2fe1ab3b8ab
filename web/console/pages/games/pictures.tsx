/**
 * Shows images that the platform hosts. A provider's images are only linked, because the page's Content-Security-Policy blocks their hosts.
 */
export function Pictures({
  own,
  all,
  name,
}: {
  own: readonly string[];
  all: readonly string[];
  name: string;
}) {
  const others = all.filter((url) => !own.includes(url));
  return (
    <>
      <div className="pictures">
        {own.map((url) => (
          <img key={url} src={url} alt={`Cover of ${name}`} loading="lazy" />
        ))}
      </div>
      {own.length === 0 && <p className="dim">No custom image yet. Players see the supplier’s image.</p>}
      {others.map((url) => (
        <p key={url}>
          <a href={url} target="_blank" rel="noreferrer">
            Supplier’s image
          </a>
        </p>
      ))}
    </>
  );
}
