import { describe, expect, test } from 'vitest';
import { assertAcceptsImage, assertGrantable, isOpen, MAX_IMAGES, STATUSES } from './rules.ts';

test('treats new applications and those in review as open', () => {
  expect(STATUSES.filter(isOpen)).toEqual(['NEW', 'IN_REVIEW']);
});

describe('images', () => {
  test.each([
    ['NEW', 0, undefined],
    ['NEW', 4, undefined],
    ['NEW', 5, ['VIP_APPLICATION_IMAGES_FULL', { most: MAX_IMAGES }]],
    ['NEW', 6, ['VIP_APPLICATION_IMAGES_FULL', { most: MAX_IMAGES }]],
    ['IN_REVIEW', 0, ['VIP_APPLICATION_NOT_NEW', { status: 'IN_REVIEW' }]],
    ['CANCELLED', 5, ['VIP_APPLICATION_NOT_NEW', { status: 'CANCELLED' }]],
  ] as const)(
    'returns the error for adding an image to an application with status %s and %i images: %j',
    (status, images, refusal) => {
      const add = () => assertAcceptsImage({ status, images });
      if (!refusal) return expect(add()).toBeUndefined();
      const [code, details] = refusal;
      expect(add).toThrow(expect.objectContaining({ code, details }));
    },
  );
});

describe('assertGrantable', () => {
  test.each([
    [0, 0, 7, 0],
    [3, 3, 7, 3],
    [7, 3, 7, 7],
    // The highest level was reduced and is now below the player's level.
    [9, 9, 7, 9],
  ])(
    'accepts level %i for a player on level %i when the highest level is %i',
    (vipLevel, ownLevel, topLevel, granted) => {
      expect(assertGrantable(vipLevel, { ownLevel, topLevel })).toBe(granted);
    },
  );

  test.each([
    [undefined, 3, 7, 'VIP_LEVEL_REQUIRED', { level: 3 }],
    [2, 3, 7, 'VIP_LEVEL_REQUIRED', { level: 3 }],
    [
      8,
      3,
      7,
      'VALIDATION_FAILED',
      { fields: [{ path: 'vipLevel', message: 'is above the highest level, 7' }] },
    ],
    [
      10,
      9,
      7,
      'VALIDATION_FAILED',
      { fields: [{ path: 'vipLevel', message: 'is above the highest level, 7' }] },
    ],
  ])(
    'rejects level %s for a player on level %i when the highest level is %i: %s',
    (vipLevel, ownLevel, topLevel, code, details) => {
      const grant = () => assertGrantable(vipLevel, { ownLevel, topLevel });
      expect(grant).toThrow(expect.objectContaining({ code, details }));
    },
  );
});
