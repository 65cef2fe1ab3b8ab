import bowser from 'bowser';

export type Agent = {
  device: string | null;
  deviceType: string | null;
  browser: string | null;
  os: string | null;
};

const NOTHING: Agent = { device: null, deviceType: null, browser: null, os: null };

/** Parses the device from a User-Agent header. Clients can send any value, so use it for display only, never for decisions. */
export function parseUserAgent(userAgent: string | undefined): Agent {
  if (!userAgent) return NOTHING;
  const { browser, os, platform } = bowser.parse(userAgent.slice(0, 500));
  return {
    device: joined(platform.vendor, platform.model),
    deviceType: platform.type ?? null,
    browser: joined(browser.name, browser.version?.split('.')[0]),
    os: joined(os.name, os.versionName ?? os.version?.split('.').slice(0, 2).join('.')),
  };
}

function joined(...words: (string | undefined)[]): string | null {
  const text = words.filter(Boolean).join(' ').slice(0, 100);
  return text === '' ? null : text;
}
