import { json, parseObject, type SandboxService } from './endpoint.ts';

let isChecked = true;

/** Whether what was signed `at` (Unix seconds) is at most `tolerance` seconds away from now. */
export const isFresh = (at: number, tolerance: number): boolean =>
  !isChecked || Math.abs(Date.now() / 1000 - at) <= tolerance;

/** A platform that lives on another day signs with that day. */
export function clock(): SandboxService {
  return {
    name: 'Clock',
    about: 'Signatures are taken for five minutes, unless the platform lives on another day, as a demo does.',
    settings: {},
    endpoints: [
      {
        method: 'POST',
        path: '/clock',
        about: 'Whether the age of signatures is checked.',
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
