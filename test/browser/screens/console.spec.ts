import { ENTRIES, enterConsole, menuPaths } from '../console/console.ts';
import { expect, test } from '../fixtures.ts';
import { betOnDice, type Call, callAs, newPlayer } from '../users.ts';
import { checkEveryLook, DESKTOP, expectNoProblems } from './looks.ts';
import { createOffers } from './offers.ts';
import { createSiteData } from './site.ts';

/** The browser reports a 404 when a player has no withdrawal block. */
const EXPECTED_ERRORS = /status of 404/;

test.use({ viewport: DESKTOP });

test('shows every page of the console accessibly in every size and theme', async ({
  page,
  context,
  platform,
  demo,
}) => {
  const { id, call } = await newPlayer(platform);
  await betOnDice(call);
  const staff = await callAs(platform, demo.superadmin);
  const tabs = ENTRIES.flatMap((entry) => entry.tabs.slice(1).map(({ path }) => path));
  const pathsOutsideTheMenu = [
    ...tabs,
    '/account',
    `/users/${id}`,
    `/users/${id}/money`,
    `/users/${id}/protection`,
    `/users/${id}/connections`,
    `/users/${id}/notes`,
    `/users/${id}/account`,
    `/staff/${id}`,
    '/staff/roles',
    '/staff/roles/SUPPORT',
    `/kyc/${id}`,
    ...(await casesOf(staff)),
    ...(await createOffers(platform, staff)),
    ...(await createSiteData(platform, staff)),
  ];
  await enterConsole(page, demo.superadmin);
  const pathsInTheMenu = await menuPaths(page);
  expect(pathsInTheMenu.length).toBeGreaterThan(10);
  const paths = [...pathsInTheMenu, ...pathsOutsideTheMenu.map((path) => `/console${path}`)];
  await expectNoProblems(context, paths, {
    check: checkEveryLook,
    expectedErrors: EXPECTED_ERRORS,
    isReloaded: true,
  });
});

/** Returns the paths of the first cases of each queue of the demo data. */
async function casesOf(staff: Call): Promise<string[]> {
  const lists = {
    withdrawals: '/admin/payments/withdraw',
    'deposit-reviews': '/admin/payments/deposit/review',
    findings: '/admin/casino/findings',
  };
  const paths = Object.entries(lists).map(async ([page, list]) => {
    const { data } = await staff('GET', `${list}?take=1`);
    return data.map(({ id }: { id: string }) => `/${page}/${id}`);
  });
  return (await Promise.all(paths)).flat();
}
