import type { PermissionInfo } from '../../../../client/call.ts';

/** The groups of permissions in each part of the console. A group that is missing here is shown under Other. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  Players: ['user', 'note', 'kyc', 'limit'],
  Payments: ['deposit', 'withdraw', 'withdrawblock', 'transaction', 'tip'],
  Games: ['bet', 'casino', 'bot'],
  Marketing: ['promo', 'challenge', 'leaderboard', 'affiliate', 'rakeback', 'vip'],
  Reports: ['dashboard'],
  Platform: ['chat', 'faq', 'country', 'staff', 'audit', 'approval', 'apikey', 'logger'],
};
const OTHER = 'Other';

export type Area = { name: string; permissions: readonly PermissionInfo[] };

/** Returns the permissions of each area, in the order of the menu. Areas without permissions are left out. */
export function areasOf(all: readonly PermissionInfo[]): Area[] {
  const areaOf = ({ group }: PermissionInfo) =>
    Object.keys(AREAS).find((name) => AREAS[name]!.includes(group)) ?? OTHER;
  const byArea = Map.groupBy(all, areaOf);
  return [...Object.keys(AREAS), OTHER].flatMap((name) => {
    const permissions = byArea.get(name);
    return permissions ? [{ name, permissions }] : [];
  });
}

export type Difference = { added: readonly string[]; removed: readonly string[] };

export function differenceOf(before: readonly string[], after: readonly string[]): Difference {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}

export const sizeOf = ({ added, removed }: Difference): number => added.length + removed.length;

const NAME = /^[A-Z][A-Z0-9_]{1,31}$/;

/** Returns the name of a new role, which never changes, from its title: VIP host → VIP_HOST. */
export function nameOf(title: string): string {
  const name = title
    .normalize('NFD')
    .toUpperCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
    .slice(0, 32);
  return NAME.test(name) ? name : `ROLE_${Date.now().toString(36).toUpperCase()}`;
}
