/** The address of a sprite that web/sprite.ts builds. */
declare module 'virtual:*.svg' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: Vite's assets are default exports
  export default address;
}
