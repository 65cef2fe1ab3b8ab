import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from './kit/fixture.ts';
import { startDurablePostgres } from './kit/processes/durable.ts';
import { canRunSystemd, startSystemd } from './kit/processes/systemd.ts';
import { until } from './kit/until.ts';

const DEPLOY = resolve(import.meta.dirname, '../deploy');
const START_MS = 180_000;
/** The parts of croupier.target with the addresses of their health checks. */
const PARTS = {
  'croupier-api@3000': '3000/health/ready',
  'croupier-api@3010': '3010/health/ready',
  'croupier-backoffice': '3001/health',
  'croupier-realtime@3002': '3002/health/ready',
  'croupier-realtime@3012': '3012/health/ready',
  'croupier-worker@3003': '3003/health/ready',
  'croupier-worker@3013': '3013/health/ready',
} as const;
const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];
const secret = (digit: string) => `8f1d0c5b7a6e4932b1c0d9e8f7a6b5c4d3e2f1a${digit}`;

const isSystemdThere = canRunSystemd();
if (!isSystemdThere)
  console.warn('skipped: needs root, unshare and systemd (Debian: apt-get install systemd)');

describe.skipIf(!isSystemdThere)('the units of deploy/ under a real systemd', () => {
  const server = fixture(() => startDurablePostgres('systemd'));
  const settings = () => ({
    APP_ENV: 'production',
    DATABASE_URL: server.url.replace(/host=[^&]+/, 'host=/run/postgresql'),
    JWT_SECRET: secret('1'),
    SEED_SECRET: secret('2'),
    DATA_SECRET: secret('3'),
    CAPTCHA_VERIFY_URL: 'https://captcha.example/siteverify',
    CAPTCHA_SECRET: 'the real one',
    SITE_ORIGINS: 'https://play.example',
    PUBLIC_API_URL: 'https://api.play.example',
    SMTP_URL: 'smtps://mail.play.example',
    MAIL_FROM: 'Play <no-reply@play.example>',
  });
  const away = () => ({ ...settings(), DATABASE_URL: 'postgres://croupier@127.0.0.1:1/casino' });
  const machine = fixture(() =>
    startSystemd({
      units: [resolve(DEPLOY, 'systemd'), resolve(DEPLOY, 'ha/systemd')],
      settings: settings(),
      sockets: new URL(server.url.replace('@/', '@localhost/')).searchParams.get('host')!,
    }),
  );
  const property = (unit: string, name: string) => machine.systemctl('show', '--value', '-p', name, unit);
  /** Returns the process id of each part, or 0 for a part that is not running. */
  const processes = () => Promise.all(NAMES.map((name) => property(name, 'MainPID').then(Number)));
  const isReady = async (name: keyof typeof PARTS) =>
    (await machine.get(`http://127.0.0.1:${PARTS[name]}`)) === 200;
  const areReady = async () => (await Promise.all(NAMES.map(isReady))).every(Boolean);

  test('starts every service on an empty database', { timeout: START_MS }, async () => {
    await machine.systemctl('start', 'croupier.target');
    await until(areReady, START_MS);
    await until(async () => (await machine.get('http://127.0.0.1:8000/health/ready')) === 200, START_MS);
    expect(await property('croupier-migrate', 'Result')).toBe('success');
  });

  test('keeps every service running while croupier-migrate restarts', async () => {
    const before = await processes();
    expect(before).not.toContain(0);
    await machine.systemctl('restart', 'croupier-migrate');
    expect(await processes()).toEqual(before);
    expect(machine.output()).toContain('already up to date');
  });

  test('keeps every service running when a migration fails', async () => {
    const before = await processes();
    machine.configure(away());
    await expect(machine.systemctl('restart', 'croupier-migrate')).rejects.toThrow('croupier-migrate');
    expect(await property('croupier-migrate', 'ActiveState')).toBe('failed');
    expect(await processes()).toEqual(before);
    expect(await areReady()).toBe(true);
  });

  test('restarts a service until the database is ready', { timeout: START_MS }, async () => {
    const name = 'croupier-worker@3003';
    await machine.systemctl('restart', name);
    await until(async () => Number(await property(name, 'NRestarts')) > 1, START_MS);
    expect(machine.output()).toMatch(/^worker did not start: .*DATABASE_URL/m);
    machine.configure(settings());
    await until(() => isReady(name), START_MS);
  });

  test('restarts and stops every service with its target', { timeout: START_MS }, async () => {
    const before = await processes();
    await machine.systemctl('restart', 'croupier.target');
    await until(areReady, START_MS);
    for (const [i, pid] of (await processes()).entries()) expect(pid, NAMES[i]).not.toBe(before[i]);
    await machine.systemctl('stop', 'croupier.target');
    await until(async () => (await processes()).every((pid) => pid === 0));
    expect(await Promise.all(NAMES.map((name) => property(name, 'Result')))).toEqual(
      NAMES.map(() => 'success'),
    );
  });

  test('stops no unit because another one stops, except services when their target stops', async () => {
    const units = [
      ...NAMES,
      'croupier-migrate',
      'croupier-etcd',
      'croupier-patroni',
      'croupier-haproxy',
      'croupier-balancer',
    ];
    for (const unit of units)
      for (const kind of ['RequiredBy', 'BoundBy', 'ConsistsOf'])
        expect([unit, kind, await property(unit, kind)]).toEqual([unit, kind, '']);
    const parts = (await property('croupier.target', 'ConsistsOf')).split(' ');
    expect(new Set(parts)).toEqual(new Set([...NAMES, 'croupier-balancer'].map((name) => `${name}.service`)));
  });
});
