import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf, KYC_SECRET, PERSON, startKyc } from '../../../../test/kit/accounts/kyc.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';

const kyc = fixture(() => startKyc({ env: { KYC_PROVIDER: 'sumsub' } }));

const FIXED = { firstName: PERSON.firstName, lastName: PERSON.lastName, dob: PERSON.birthDate };
const say = async (player: { id: number }, status: string, fields: object = {}) => {
  const input = { dialect: 'sumsub', userId: player.id, tier: 'IDENTITY', status, ...fields };
  const answer = await kyc.decide(input);
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
  return answer.sent;
};
const knownAs = async (userId: number) => (await kyc.applicants()).find((one) => one.userId === userId);

test('creates the applicant of a session with only the stated identity', async () => {
  const player = await kyc.stated();
  const { status, body } = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
  expect(status).toBe(201);
  expect(body).toMatchObject({ provider: 'sumsub', levelName: 'identity' });
  expect(body.accessToken).toMatch(/^_act-sbx-/);
  expect(await knownAs(player.id)).toMatchObject({
    id: body.applicantId,
    person: FIXED,
    levels: ['identity'],
  });
  const next = await player.call('POST', '/kyc/session', { body: { tier: 'ADDRESS' } });
  expect(next.body.applicantId).toBe(body.applicantId);
});

test('keeps the applicant of a known player and sends the provider a new name', async () => {
  const player = await kyc.applicant();
  // Simulates a crash after the provider's response and before the applicant is stored.
  await kyc.app.db.deleteFrom('kyc_applicants').where('user_id', '=', player.id).execute();
  const again = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
  expect(again.body.applicantId).toBe(player.applicantId);
  const staff = await kyc.app.as({ permissions: ['kyc.approve'] });
  const reset = { tier: 'BASIC', action: 'RESET', reason: 'a slip of the pen' };
  await staff.call('PATCH', `/admin/kyc/${player.id}`, { body: reset });
  await player.call('POST', '/kyc/basic', { body: { ...PERSON, lastName: 'Finch' } });
  const renewed = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
  expect(renewed.body.applicantId).toBe(player.applicantId);
  expect((await knownAs(player.id)).person).toEqual({ ...FIXED, lastName: 'Finch' });
});

test('applies webhooks of every type', async () => {
  const player = await kyc.applicant();
  const status = async () => (await kyc.tierOf(player)).status;
  await say(player, 'PENDING', { type: 'applicantCreated' });
  expect(await status()).toBe('NONE');
  await say(player, 'PENDING');
  expect(await status()).toBe('PENDING');
  await say(player, 'ON_HOLD');
  expect(await status()).toBe('ON_HOLD');
  const labels = { rejectLabels: ['UNSATISFACTORY_PHOTOS'], moderationComment: 'Too dark' };
  await say(player, 'REJECTED', { ...labels, clientComment: 'for staff alone' });
  expect(await kyc.tierOf(player)).toMatchObject({ status: 'RESUBMIT', ...labels, canResubmit: true });
  await say(player, 'APPROVED', { algorithm: 'sha512' });
  expect(await kyc.levelsOf(player)).toEqual([2, 2]);
  await say(player, 'RESET');
  expect([await status(), await kyc.levelsOf(player)]).toEqual(['NONE', [1, 1]]);
  await say(player, 'PENDING', { type: 'applicantPersonalInfoChanged' });
  await say(player, 'APPROVED', { levelName: 'a level of somebody else' });
  expect(await status()).toBe('NONE');
  await say(player, 'APPROVED', { tier: 'ADDRESS' });
  expect((await kyc.tierOf(player, 'ADDRESS')).status).toBe('APPROVED');
  await say(player, 'REJECTED', { rejectType: 'FINAL' });
  await say(player, 'APPROVED');
  expect(await status()).toBe('REJECTED');
});

describe("end of the provider's record of a person", () => {
  const verified = async () => {
    const player = await kyc.applicant();
    await say(player, 'APPROVED');
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
    return player;
  };
  const end = (
    { id, applicantId }: { id: number; applicantId: string },
    change: string,
    fields: object = {},
  ) => say({ id }, 'ON_HOLD', { type: `applicant${change}`, applicantId, ...fields });
  const eventsOf = async ({ applicantId }: { applicantId: string }) => {
    const events = kyc.app.db.selectFrom('kyc_events').where('applicant_id', '=', applicantId);
    return (await events.select(['status', 'outcome']).orderBy('created_at').execute()).map(
      ({ status, outcome }) => `${status} ${outcome}`,
    );
  };

  test.each(['Deactivated', 'Deleted'])(
    'puts an approval on hold when the applicant is %s, once',
    async (change) => {
      const player = await verified();
      const webhook = { eventId: randomUUID(), occurredAt: new Date().toISOString() };
      for (let times = 0; times < 2; times++) await end(player, change, webhook);
      expect([(await kyc.tierOf(player)).status, await kyc.levelsOf(player)]).toEqual(['ON_HOLD', [1, 1]]);
      expect(await eventsOf(player)).toEqual(['APPROVED APPLIED', `${change.toUpperCase()} APPLIED`]);
      const staff = await kyc.app.as({ permissions: ['kyc.read'] });
      const { body } = await staff.call('GET', `/admin/kyc/${player.id}`);
      expect(body.clientComment).toContain(change.toLowerCase());
    },
  );

  test('puts all tiers with documents on hold that are approved or in review', async () => {
    const player = await verified();
    await say(player, 'APPROVED', { tier: 'ADDRESS' });
    await say(player, 'PENDING', { tier: 'SOURCE_OF_FUNDS' });
    expect(await kyc.levelsOf(player)).toEqual([3, 3]);
    await end(player, 'Deleted');
    const statuses = ['IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'].map(
      async (tier) => (await kyc.tierOf(player, tier)).status,
    );
    expect(await Promise.all(statuses)).toEqual(['ON_HOLD', 'ON_HOLD', 'ON_HOLD']);
    expect(await kyc.levelsOf(player)).toEqual([1, 1]);
  });

  test('puts an approval by staff on hold', async () => {
    const player = await kyc.applicant();
    const staff = await kyc.app.as({ permissions: ['kyc.approve'] });
    const body = { tier: 'IDENTITY', action: 'APPROVE', reason: 'seen in person' };
    expect(codeOf(await staff.call('PATCH', `/admin/kyc/${player.id}`, { body }))).toBe('200');
    await end(player, 'Deactivated', { occurredAt: new Date(Date.now() + 1000).toISOString() });
    expect((await kyc.tierOf(player)).status).toBe('ON_HOLD');
  });

  test('outweighs an earlier approval that arrives later, but not a later one', async () => {
    const [player, other] = [await kyc.applicant(), await kyc.applicant()];
    const ago = (seconds: number) => ({ occurredAt: new Date(Date.now() - seconds * 1000).toISOString() });
    await end(player, 'Deactivated', ago(30));
    expect((await kyc.tierOf(player)).status).toBe('NONE');
    await say(player, 'APPROVED', ago(60));
    expect((await kyc.tierOf(player)).status).toBe('NONE');
    await say(player, 'APPROVED');
    await end(player, 'Deactivated', ago(20));
    await end({ id: other.id, applicantId: player.applicantId }, 'Deactivated');
    expect((await kyc.tierOf(player)).status).toBe('APPROVED');
    expect((await kyc.tierOf(other)).status).toBe('NONE');
  });

  test('creates another applicant in the session after a deletion, with which the player can be approved', async () => {
    const player = await verified();
    await end(player, 'Deleted');
    const staff = await kyc.app.as({ permissions: ['kyc.approve'] });
    const body = { tier: 'IDENTITY', action: 'REQUEST_RESUBMIT', reason: 'the record is gone' };
    expect(codeOf(await staff.call('PATCH', `/admin/kyc/${player.id}`, { body }))).toBe('200');
    const session = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
    expect(codeOf(session)).toBe('201');
    expect(session.body.applicantId).not.toBe(player.applicantId);
    await say(player, 'APPROVED', { occurredAt: new Date(Date.now() + 1000).toISOString() });
    expect((await kyc.tierOf(player)).status).toBe('APPROVED');
  });

  test('changes nothing for a player who was erased', async () => {
    const player = await verified();
    await erase(kyc.app.services, { userId: player.id, by: player.id, reason: 'requested' });
    await end(player, 'Deleted');
    expect(await eventsOf(player)).toEqual(['APPROVED APPLIED', 'DELETED ERASED']);
    const tiers = kyc.app.db.selectFrom('kyc_tiers').where('user_id', '=', player.id);
    const rows = await tiers.where('tier', '=', 'IDENTITY').select('status').execute();
    expect(rows).toEqual([{ status: 'APPROVED' }]);
  });
});

test('returns 200 for late, repeated and mismatched webhooks, without applying them', async () => {
  const player = await kyc.applicant();
  const other = await kyc.applicant();
  const eventId = randomUUID();
  const occurredAt = new Date(Date.now() - 60_000).toISOString();
  await say(player, 'PENDING', { eventId });
  await say(player, 'APPROVED', { occurredAt });
  await say(player, 'APPROVED', { applicantId: 'nobody' });
  await say(other, 'APPROVED', { applicantId: player.applicantId });
  expect((await kyc.tierOf(player)).status).toBe('PENDING');
  expect((await kyc.tierOf(other)).status).toBe('NONE');
});

test.each(['9999999999', '4294967297', 'somebody', '-1'])(
  'returns 200 and changes nothing for the unknown user id %s, even with a known applicant',
  async (externalUserId) => {
    const player = await kyc.applicant();
    const raw = JSON.stringify({
      type: 'applicantReviewed',
      applicantId: player.applicantId,
      externalUserId,
      levelName: 'identity',
      correlationId: randomUUID(),
      createdAtMs: String(Date.now()),
      reviewResult: { reviewAnswer: 'GREEN' },
    });
    const headers = {
      'content-type': 'application/json',
      'x-payload-digest-alg': 'HMAC_SHA256_HEX',
      'x-payload-digest': createHmac('sha256', KYC_SECRET).update(raw).digest('hex'),
    };
    expect(codeOf(await kyc.app.call('POST', '/webhooks/kyc/sumsub', { raw, headers }))).toBe('200');
    expect((await kyc.tierOf(player)).status).toBe('NONE');
  },
);

test('returns 401 for wrong, repeated and missing digests', async () => {
  const player = await kyc.applicant();
  const raw = JSON.stringify({
    type: 'applicantReviewed',
    applicantId: player.applicantId,
    externalUserId: String(player.id),
    levelName: 'identity',
    correlationId: randomUUID(),
    createdAtMs: '2026-01-01 00:00:00.000',
    reviewResult: { reviewAnswer: 'GREEN' },
  });
  const digest = (algorithm: string, secret = KYC_SECRET, body = raw) =>
    createHmac(algorithm, secret).update(body).digest('hex');
  const send = (value: string | undefined, name: string | undefined, body = raw) =>
    kyc.app
      .call('POST', '/webhooks/kyc/sumsub', {
        raw: body,
        headers: {
          'content-type': 'application/json',
          ...(value === undefined ? {} : { 'x-payload-digest': value }),
          ...(name === undefined ? {} : { 'x-payload-digest-alg': name }),
        },
      })
      .then(codeOf);
  const good = digest('sha256');
  const [SHA256, SHA512] = ['HMAC_SHA256_HEX', 'HMAC_SHA512_HEX'];
  for (const refused of [
    send(undefined, undefined),
    send(good, undefined),
    send(undefined, SHA256),
    send(digest('sha256', 'x'.repeat(32)), SHA256),
    send(digest('sha256', 'sandbox-payment-webhook-secret'), SHA256),
    send(digest('sha1'), 'HMAC_SHA1_HEX'),
    send(good, SHA512),
    send(good, 'constructor'),
    send(good.slice(0, 32), SHA256),
    send(good.toUpperCase(), SHA256),
    send(`${good}, ${good}`, SHA256),
    send(good, SHA256, `${raw} `),
    send(good, SHA256, JSON.stringify(JSON.parse(raw), null, 1)),
    send(good, SHA256, raw.replace('GREEN', 'RED')),
  ])
    expect(await refused).toBe('401 SIGNATURE_INVALID');
  expect(codeOf(await kyc.send(kyc.webhookOf(player, 'APPROVED'), {}, 'sandbox'))).toBe(
    '404 PROVIDER_NOT_FOUND',
  );
  expect((await kyc.tierOf(player)).status).toBe('NONE');
  expect(await send(digest('sha256', KYC_SECRET, '{}'), SHA256, '{}')).toBe('200');
  const timeless = raw.replace('2026-01-01 00:00:00.000', 'yesterday');
  expect(await send(digest('sha256', KYC_SECRET, timeless), SHA256, timeless)).toBe('200');
  expect(await send(digest('sha512'), SHA512)).toBe('200');
  expect((await kyc.tierOf(player)).status).toBe('APPROVED');
  expect((await kyc.tierOf(player)).decidedAt).toBe('2026-01-01T00:00:00.000Z');
});

test('signs requests, and fails when the secret is wrong', async () => {
  const wrong = await startKyc({ env: { KYC_PROVIDER: 'sumsub', KYC_API_SECRET: 'not-the-secret' } });
  const player = await wrong.stated();
  const answer = await player.call('POST', '/kyc/session', { body: { tier: 'IDENTITY' } });
  expect(codeOf(answer)).toBe('503 SERVICE_UNAVAILABLE');
  await wrong.stop();
});
