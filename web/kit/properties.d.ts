import 'react';

declare module 'react' {
  /** Styles may set the custom properties of stylesheets. */
  interface CSSProperties {
    [property: `--${string}`]: string | number | undefined;
  }
}
