import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';

export type Platform = { api: string; realtime: string; dataDir: string };
export type Staff = { email: string; password: string };

/** Appoints the first superadmin as an operator does. */
export async function appoint({ dataDir }: Pick<Platform, 'dataDir'>): Promise<Staff> {
  const email = 'console@mail.example';
  const { PATH = '', HOME = '' } = process.env;
  const args = ['src/bin/croupier.ts', 'superadmin', '--email', email, '--username', 'console_boss'];
  const env = { PATH, HOME, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return { email, password: /password: (\S+)/.exec(stdout)![1]! };
}

/** Signs in to the console. */
export async function enter(
  page: Page,
  { api }: Pick<Platform, 'api'>,
  { email, password }: Staff,
): Promise<void> {
  await page.goto(`${api}/console/`);
  await page.fill('input[name=email]', email);
  await page.fill('input[name=password]', password);
  await page.click('button[type=submit]');
  await page.locator('nav[aria-label=Console]').waitFor({ state: 'attached' });
}
