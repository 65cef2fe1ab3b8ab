import { describe, expect, test } from 'vitest';
import { assertGrantable, assertTakesImage, isOpen, MOST_IMAGES, STATUSES } from './rules.ts';

test('new ones and those in review are open', () => {
  expect(STATUSES.filter(isOpen)).toEqual(['NEW', 'IN_REVIEW']);
});

describe('images', () => {
  test.each([
    ['NEW', 0, undefined],
    ['NEW', 4, undefined],
    ['NEW', 5, ['VIP_APPLICATION_IMAGES_FULL', { most: MOST_IMAGES }]],
    ['NEW', 6, ['VIP_APPLICATION_IMAGES_FULL', { most: MOST_IMAGES }]],
    ['IN_REVIEW', 0, ['VIP_APPLICATION_NOT_NEW', { status: 'IN_REVIEW' }]],
    ['CANCELLED', 5, ['VIP_APPLICATION_NOT_NEW', { status: 'CANCELLED' }]],
  ] as const)('%s with %i: %j', (status, images, refusal) => {
    const add = () => assertTakesImage({ status, images });
    if (!refusal) return expect(add()).toBeUndefined();
    const [code, details] = refusal;
    expect(add).toThrow(expect.objectContaining({ code, details }));
  });
});

describe('the level that is granted', () => {
  test.each([
    [0, 0, 7, 0],
    [3, 3, 7, 3],
    [7, 3, 7, 7],
    // The ladder was shortened below the player's own level.
    [9, 9, 7, 9],
  ])('%i for a player on %i, up to %i', (vipLevel, ownLevel, topLevel, granted) => {
    expect(assertGrantable(vipLevel, { ownLevel, topLevel })).toBe(granted);
  });

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
  ])('%s for a player on %i, up to %i: %s', (vipLevel, ownLevel, topLevel, code, details) => {
    const grant = () => assertGrantable(vipLevel, { ownLevel, topLevel });
    expect(grant).toThrow(expect.objectContaining({ code, details }));
  });
});
