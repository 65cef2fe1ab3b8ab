import type { ShownBrand } from './brand.ts';

/** A built application as browsers install it, and as link previews show it. */
type Shown = {
  base: string;
  /** The names of its built files. */
  assets: readonly string[];
  brand: ShownBrand;
  /** Public address of the service. Link previews need absolute addresses. */
  site: string;
};

const SIZES = [192, 512] as const;
/** The ground of the dark theme, if the operator sets none. */
const GROUND = '#0b0d14';

/** Returns the address of a picture: the operator's file of this name, or the built one, whose name has a hash. */
function pictureOf({ base, assets, brand }: Shown, name: string): string | undefined {
  const [stem, extension] = name.split('.') as [string, string];
  const built = assets.find((file) => file.startsWith(`${stem}-`) && file.endsWith(`.${extension}`));
  return brand.addressOf(name) ?? (built && `${base}/assets/${built}`);
}

/** Returns the web app manifest, with which browsers offer to install the application. */
export function manifestOf(shown: Shown): string {
  const { base, brand } = shown;
  const icons = SIZES.flatMap((size) => {
    const src = pictureOf(shown, `icon-${size}.png`);
    const icon = { src, sizes: `${size}x${size}`, type: 'image/png' };
    return src ? [icon, { ...icon, purpose: 'maskable' }] : [];
  });
  const colour = brand.ground ?? GROUND;
  return JSON.stringify({
    id: `${base}/`,
    name: brand.settings.name,
    short_name: brand.settings.name,
    start_url: `${base}/`,
    scope: `${base}/`,
    display: 'standalone',
    background_color: colour,
    theme_color: colour,
    icons,
  });
}

/** Returns the tags for the page's head that lead to the manifest, and that link previews read. */
export function previewOf(shown: Shown): string {
  const { base, brand, site } = shown;
  const name = escaped(brand.settings.name);
  const picture = pictureOf(shown, 'share.png');
  const icon = pictureOf(shown, 'icon-192.png');
  return [
    `<link rel="manifest" href="${base}/manifest.webmanifest" />`,
    ...(icon ? [`<link rel="apple-touch-icon" href="${icon}" />`] : []),
    `<meta name="theme-color" content="${brand.ground ?? GROUND}" />`,
    `<meta property="og:type" content="website" />`,
    `<meta property="og:site_name" content="${name}" />`,
    `<meta property="og:title" content="${name}" />`,
    ...(picture
      ? [
          `<meta property="og:image" content="${escaped(new URL(picture, site).href)}" />`,
          `<meta name="twitter:card" content="summary_large_image" />`,
        ]
      : []),
  ].join('');
}

/** Puts the operator's name into the title of a built page. */
export const titled = (html: string, name: string): string =>
  html.replace('<title>Croupier</title>', () => `<title>${escaped(name)}</title>`);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
