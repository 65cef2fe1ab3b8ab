import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Answer, type Player, type StartOptions, startApp } from '../app.ts';
import { startOutside } from '../http/outside.ts';
import { notify, type Signing } from '../money/webhooks.ts';

export type KycApp = Awaited<ReturnType<typeof startKyc>>;

export const KYC_SECRET = 'sandbox-kyc-webhook-secret';
export const PERSON = {
  firstName: 'Zélie-Ann',
  lastName: "O'Canary",
  birthDate: '1990-02-28',
  country: 'DE',
  city: 'Köln am Kanarienweg',
  address: 'Kanarienstraße 17b',
  postalCode: '50667',
} as const;

/** Starts a service with the sandbox's KYC provider. Returns helpers that verify players. */
export async function startKyc(options: StartOptions = {}) {
  const outside = await startOutside();
  const app = await startApp({ ...options, env: { ...outside.env, ...options.env } });
  outside.setApi(app.url);

  /** Creates a player whose BASIC tier is approved. */
  const stated = async (fields: object = {}): Promise<Player> => {
    const player = await app.newPlayer();
    const answer = await player.call('POST', '/kyc/basic', { body: { ...PERSON, ...fields } });
    expect(answer.status).toBe(201);
    return player;
  };
  /** Creates a player who is registered with the provider. */
  const applicant = async (tier = 'IDENTITY') => {
    const player = await stated();
    const { status, body } = await player.call('POST', '/kyc/session', { body: { tier } });
    expect(status).toBe(201);
    return { ...player, applicantId: body.applicantId as string };
  };
  type Known = { id: number; applicantId: string };
  const webhookOf = ({ id, applicantId }: Known, status: string, fields: object = {}) => ({
    eventId: randomUUID(),
    applicantId,
    userId: id,
    tier: 'IDENTITY',
    status,
    occurredAt: new Date().toISOString(),
    ...fields,
  });
  const send = (
    webhook: object | string,
    signing: Partial<Signing> = {},
    path = 'sandbox',
  ): Promise<Answer> => notify(app, `/webhooks/kyc/${path}`, webhook, { secret: KYC_SECRET, ...signing });
  return {
    app,
    outside,
    stated,
    applicant,
    webhookOf,
    send,
    /** Sends a provider webhook about a player, and expects it to be accepted. */
    say: async (player: Known, status: string, fields: object = {}) => {
      const answer = await send(webhookOf(player, status, fields));
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    },
    /** Makes the sandbox send a decision. Returns the platform's response. */
    decide: async (input: object): Promise<{ status: number; body: any; sent: any }> => {
      const answer = await fetch(`${outside.url}/kyc/decide`, {
        method: 'POST',
        body: JSON.stringify(input),
      });
      return (await answer.json()) as { status: number; body: any; sent: any };
    },
    applicants: async () => (await fetch(`${outside.url}/kyc/applicants.json`)).json() as Promise<any[]>,
    /** Returns a tier as the API shows it to the player. */
    tierOf: async (player: Player, tier = 'IDENTITY') => {
      const { body } = await player.call('GET', '/kyc');
      return body.tiers.find((one: { tier: string }) => one.tier === tier);
    },
    /** Returns two levels: the one computed from the tiers, and the one stored with the user. */
    levelsOf: async (player: Player): Promise<[number, number]> => {
      const { body } = await player.call('GET', '/kyc');
      const me = await player.call('GET', '/user/me');
      return [body.level, me.body.kycLevel];
    },
    async stop() {
      await app.stop();
      await outside.close();
    },
  };
}

export const codeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>): string =>
  status < 400 ? String(status) : `${status} ${body?.code}`;
