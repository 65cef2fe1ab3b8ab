import { describe, expect, test } from 'vitest';
import { exceedsLimit, needsAnother } from './rules.ts';

describe('a second person', () => {
  test.each<[string, bigint | null, (bigint | null)[], bigint, bigint[], boolean]>([
    ['is not needed below the threshold', 999n, [999n], 0n, [0n], false],
    ['is needed at the threshold', 1000n, [], 0n, [], true],
    ["is needed when the caller's total reaches the threshold", 1n, [], 999n, [], true],
    ["is not needed when the caller's total stays below the threshold", 1n, [], 998n, [], false],
    ["is needed when a recipient's total reaches the threshold", 2n, [1n, 1n], 0n, [0n, 999n], true],
    ['is needed for a recipient without a recorded total', 0n, [1000n], 0n, [], true],
    ['is needed for an unlimited amount', null, [], 0n, [], true],
    ['is needed if the value for a recipient is unknown', 0n, [null], 0n, [0n], true],
    ['is not needed for an action without value', 0n, [0n], 5000n, [5000n], false],
  ])('%s', (_, usdAmount, recipientsUsd, ofActorUsd, ofRecipientsUsd, expected) => {
    expect(needsAnother({ usdAmount, recipientsUsd }, { ofActorUsd, ofRecipientsUsd }, 1000n)).toBe(expected);
  });
});

test.each<[string, bigint | null, bigint, boolean]>([
  ['allows the limit itself', 10n, 90n, false],
  ['rejects a unit more than the limit', 11n, 90n, true],
  ['rejects an unlimited amount', null, 0n, true],
  ['allows an action without value above the limit', 0n, 200n, false],
])('applies the limit for staff below superadmin: %s', (_, usdAmount, movedUsd, expected) => {
  expect(exceedsLimit(usdAmount, movedUsd, 100n)).toBe(expected);
});
