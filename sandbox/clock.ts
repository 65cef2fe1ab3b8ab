import { json, parseObject, type SandboxService } from './endpoint.ts';

let isChecked = true;

/** Returns true if the signature time `at` (Unix seconds) differs from the current time by at most `tolerance` seconds. */
export const isFresh = (at: number, tolerance: number): boolean =>
  !isChecked || Math.abs(Date.now() / 1000 - at) <= tolerance;

/** Enables or disables the age check of signatures. Disable it for a platform whose clock shows another date. */
export function clock(): SandboxService {
  return {
    name: 'Clock',
    about:
      'Signatures are valid for five minutes. Disable the check while the platform runs on another date, as during a demo.',
    settings: {},
    endpoints: [
      {
        method: 'POST',
        path: '/clock',
        about: 'Sets whether the age of signatures is checked.',
        example: '{ "isChecked": false }',
        handle: ({ body }) => {
          const wanted = parseObject(body)?.isChecked;
          if (typeof wanted !== 'boolean') return json(400, { error: 'isChecked is true or false' });
          isChecked = wanted;
          return json(200, { isChecked });
        },
      },
    ],
  };
}
