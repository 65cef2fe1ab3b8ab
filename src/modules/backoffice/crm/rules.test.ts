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

test('reads a trigger from the headers, and omits missing headers', () => {
  expect(triggerIn(HEADERS)).toEqual(TRIGGER);
  expect(triggerIn({})).toStrictEqual({});
  expect(triggerIn({ ...HEADERS, 'x-fasttrack-id': undefined })).toStrictEqual({
    activity_id: 'activity',
    action_id: 'action',
    action_group_id: 'group',
    trigger_hash: 'hash',
  });
});

test('hashes the activity, action, user and trigger hash with SHA-256', () => {
  const of = (...parts: unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest();
  expect(hashOf(TRIGGER, 7)).toEqual(of('activity', 'action', 7, 'hash'));
  expect(hashOf({ trigger_hash: 'hash' }, 7)).toEqual(of(null, null, 7, 'hash'));
});

test('uses the trigger id if there is no trigger hash, and returns undefined if both are missing', () => {
  const { trigger_hash: _, ...withoutHash } = TRIGGER;
  expect(hashOf(withoutHash, 7)).toEqual(hashOf({ ...TRIGGER, trigger_hash: 'id' }, 7));
  expect(hashOf({ activity_id: 'activity', action_id: 'action' }, 7)).toBeUndefined();
  expect(hashOf({}, 7)).toBeUndefined();
});

test('changes the hash with each field except the group, and ignores the id if there is a trigger hash', () => {
  const hex = (change: object, userId = 7) => hashOf({ ...TRIGGER, ...change }, userId)!.toString('hex');
  const all = [
    hex({}),
    hex({ activity_id: 'other' }),
    hex({ action_id: 'other' }),
    hex({ trigger_hash: 'other' }),
    hex({}, 8),
    // Moving the boundary between two parts changes the hash.
    hex({ activity_id: 'activityaction', action_id: '' }),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(hex({ action_group_id: 'other', id: 'other' })).toBe(hex({}));
});
