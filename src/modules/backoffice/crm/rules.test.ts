import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOf, triggerIn } from './rules.ts';

const HEADERS = {
  'x-fasttrack-activityid': 'activity',
  'x-fasttrack-actionid': 'action',
  'x-fasttrack-actiongroupid': 'group',
  'x-fasttrack-triggerhash': 'hash',
  'x-fasttrack-id': 'id',
};
const TRIGGER = {
  activity_id: 'activity',
  action_id: 'action',
  action_group_id: 'group',
  trigger_hash: 'hash',
  id: 'id',
};

test('a trigger has what the headers say, and nothing for those that are missing', () => {
  expect(triggerIn(HEADERS)).toEqual(TRIGGER);
  expect(triggerIn({})).toEqual({});
  expect(triggerIn({ ...HEADERS, 'x-fasttrack-id': undefined })).toEqual({
    activity_id: 'activity',
    action_id: 'action',
    action_group_id: 'group',
    trigger_hash: 'hash',
  });
});

test('the hash is SHA-256 of activity, action, user and trigger hash', () => {
  const of = (...parts: unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest();
  expect(hashOf(TRIGGER, 7)).toEqual(of('activity', 'action', 7, 'hash'));
  expect(hashOf({ trigger_hash: 'hash' }, 7)).toEqual(of(null, null, 7, 'hash'));
});

test('without a trigger hash the id tells triggers apart, without either nothing does', () => {
  const { trigger_hash: _, ...withoutHash } = TRIGGER;
  expect(hashOf(withoutHash, 7)).toEqual(hashOf({ ...TRIGGER, trigger_hash: 'id' }, 7));
  expect(hashOf({ activity_id: 'activity', action_id: 'action' }, 7)).toBeUndefined();
  expect(hashOf({}, 7)).toBeUndefined();
});

test('each of the parts tells triggers apart; group and id beside a hash do not', () => {
  const hex = (change: object, userId = 7) => hashOf({ ...TRIGGER, ...change }, userId)!.toString('hex');
  const all = [
    hex({}),
    hex({ activity_id: 'other' }),
    hex({ action_id: 'other' }),
    hex({ trigger_hash: 'other' }),
    hex({}, 8),
    // What belongs to one part is not read as of another.
    hex({ activity_id: 'activityaction', action_id: '' }),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(hex({ action_group_id: 'other', id: 'other' })).toBe(hex({}));
});
