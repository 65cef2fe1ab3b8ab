import { createHash } from 'node:crypto';

/** The CRM's identifiers of the event that triggered a credit. Identifiers that the CRM has not sent are undefined. */
export type Trigger = {
  activity_id?: string;
  action_id?: string;
  action_group_id?: string;
  trigger_hash?: string;
  id?: string;
};

const HEADERS = {
  activity_id: 'x-fasttrack-activityid',
  action_id: 'x-fasttrack-actionid',
  action_group_id: 'x-fasttrack-actiongroupid',
  trigger_hash: 'x-fasttrack-triggerhash',
  id: 'x-fasttrack-id',
} as const satisfies Record<keyof Trigger, string>;

type Headers = Readonly<{ [H in (typeof HEADERS)[keyof Trigger]]?: string | undefined }>;

/** Returns the trigger in a call's headers, under the field names of the CRM's events. */
export const triggerIn = (headers: Headers): Trigger =>
  Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, header]) => {
      const value = headers[header];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * Returns the hash that identifies a credit, so that it is made only once. Returns undefined if the trigger has neither a hash nor an id.
 */
export function hashOf(
  { activity_id, action_id, trigger_hash, id }: Trigger,
  userId: number,
): Buffer | undefined {
  const trigger = trigger_hash ?? id;
  if (trigger === undefined) return undefined;
  const parts = [activity_id ?? null, action_id ?? null, userId, trigger];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
