import { createHash } from 'node:crypto';

/** How the CRM names what has triggered a credit. What it has not sent is missing. */
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

/** The headers of a call by the names that the CRM has for them in events. */
export const triggerIn = (headers: Headers): Trigger =>
  Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, header]) => {
      const value = headers[header];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** What makes a credit happen once; undefined: nothing tells this trigger from another one. */
export function hashOf(
  { activity_id, action_id, trigger_hash, id }: Trigger,
  userId: number,
): Buffer | undefined {
  const trigger = trigger_hash ?? id;
  if (trigger === undefined) return undefined;
  const parts = [activity_id ?? null, action_id ?? null, userId, trigger];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
