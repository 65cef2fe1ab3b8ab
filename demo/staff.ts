import { randomBytes } from 'node:crypto';
import type { Visitor } from './visitors.ts';

export const ROLES = [
  'SUPERADMIN',
  'ADMIN',
  'FINANCE',
  'SUPPORT',
  'MARKETING',
  'RISK',
  'CONTENT',
  'STREAMER_MANAGER',
] as const;
/** The usernames of staff members. Obvious names are not used, because they are reserved. */
const NAMES: Readonly<Record<Role, string>> = {
  SUPERADMIN: 'demo_boss',
  ADMIN: 'demo_manager',
  FINANCE: 'demo_cashier',
  SUPPORT: 'demo_answers',
  MARKETING: 'demo_campaigns',
  RISK: 'demo_risk',
  CONTENT: 'demo_games',
  STREAMER_MANAGER: 'demo_streams',
};
export type Role = (typeof ROLES)[number];
export type LogIn = { who: string; email: string; password: string };
export type Staff = Record<Role, Visitor> & { second: Visitor };

/** Returns a random password that cannot be guessed. It is printed only once. */
export const makePassword = () => `demo-${randomBytes(12).toString('base64url')}`;

type Where = {
  api: string;
  debugToken: string;
  visitor: (who: { username: string; ip: string }) => Visitor;
};

/**
 * Creates one staff account per role, and a second superadmin account, because large amounts need a second approver. Returns undefined if
 * these accounts already exist.
 */
export async function openStaff({
  api,
  debugToken,
  visitor,
}: Where): Promise<{ staff: Staff; logIns: LogIn[] } | undefined> {
  const logIns: LogIn[] = [];
  const open = async (username: string, role: Role): Promise<Visitor | undefined> => {
    const [email, password] = [`${username.replaceAll('_', '.')}@staff.example`, makePassword()];
    const answer = await fetch(`${api}/debug/user/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-debug-token': debugToken },
      body: JSON.stringify({ username, email, password, roles: [role] }),
    });
    const body = (await answer.json().catch(() => ({}))) as { code?: string };
    if (body.code === 'AUTH_USER_EXISTS') return undefined;
    if (!answer.ok)
      throw new Error(`${username} could not be created: ${answer.status} ${JSON.stringify(body)}`);
    logIns.push({ who: role, email, password });
    const one = visitor({ username, ip: '127.0.0.1' });
    await one.open();
    return one;
  };
  const made: Partial<Record<Role, Visitor>> = {};
  for (const role of ROLES) {
    const one = await open(NAMES[role], role);
    if (!one) return undefined;
    made[role] = one;
  }
  const second = await open('demo_second', 'SUPERADMIN');
  if (!second) return undefined;
  logIns.pop();
  return { staff: { ...(made as Record<Role, Visitor>), second }, logIns };
}
