import { useEffect, useRef, useState } from 'react';
import type { Refused } from '../../client/call.ts';
import { settings } from './api.ts';
import { asRefused, useRead } from './query.ts';

/** Runs an operation on pages that are shown before sign-in. Their forms and buttons check no permissions, because there is no user yet. */
export function useWork<T extends unknown[]>(work: (...args: T) => Promise<unknown>) {
  const [refused, setRefused] = useState<Refused>();
  const [isBusy, setBusy] = useState(false);
  const run = (...args: T) => {
    setBusy(true);
    setRefused(undefined);
    void work(...args)
      .catch((error: unknown) => setRefused(asRefused(error)))
      .finally(() => setBusy(false));
  };
  return { refused, isBusy, run };
}

type Widget = {
  render(place: HTMLElement, how: { sitekey: string; callback: (token: string) => void }): unknown;
  reset(id: unknown): void;
};
const VERIFIERS = ['hcaptcha', 'turnstile', 'grecaptcha'] as const;
type Verifiers = Partial<Record<(typeof VERIFIERS)[number], Widget>>;
const LOCAL_TOKEN = 'local-captcha';
const LOOK_EVERY_MS = 200;

/** Renders the widget of the configured captcha provider. hCaptcha, Turnstile and reCAPTCHA have the same API for this. */
export function useCaptcha() {
  const place = useRef<HTMLDivElement>(null);
  const token = useRef(LOCAL_TOKEN);
  const again = useRef(() => {});
  const site = useRead('GET /config/{code}', { path: { code: 'USER' } }, { isEnabled: settings.hasCaptcha });
  const sitekey = site.data?.captchaSiteKey as string | undefined;
  useEffect(() => {
    if (!sitekey) return;
    const timer = setInterval(() => {
      const found = VERIFIERS.map((name) => (window as Verifiers)[name]).find(Boolean);
      if (!found || !place.current) return;
      clearInterval(timer);
      const id = found.render(place.current, {
        sitekey,
        callback: (solved) => {
          token.current = solved;
        },
      });
      again.current = () => found.reset(id);
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [sitekey]);
  const take = () => {
    // A captcha token is valid for one request only.
    again.current();
    return token.current;
  };
  return { place, take };
}
