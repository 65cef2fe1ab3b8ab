import { describe, expect, test } from 'vitest';
import { codeOf, type KycApp, PERSON, startKyc } from '../../../../test/kit/accounts/kyc.ts';
import { DICE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startQueue } from '../../../platform/queue/queue.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';
import { DOCUMENT_COUNTRY } from './webhooks.ts';

const own = fixture(startKyc);
const sumsub = fixture(() => startKyc({ env: { KYC_PROVIDER: 'sumsub' } }));

const storedOf = async ({ app }: KycApp, { id }: { id: number }) => {
  const rows = await app.db
    .selectFrom('kyc_persons')
    .select('document_country')
    .where('user_id', '=', id)
    .execute();
  return rows[0]?.document_country;
};
const setCommon = async ({ app }: KycApp, body: object) => {
  const boss = await app.as('superadmin');
  expect(codeOf(await boss.call('PATCH', '/admin/config/COMMON', { body }))).toBe('200');
};

test("applies the bet interval and series rules of the document's country to a player who stated another country", async () => {
  const kyc = own;
  const HOUSE = '/casino/games/house/dice';
  const verified = async (documentCountry: string) => {
    const player = await kyc.applicant();
    expect(codeOf(await player.call('GET', '/debug/me/give-money?amount=100'))).toBe('200');
    await kyc.say(player, 'APPROVED', { documentCountry });
    return player;
  };
  const [dutch, german] = [await verified('NLD'), await verified('DEU')];
  await setCommon(kyc, { minBetIntervalMsByCountry: { NL: 60_000 }, seriesByCountry: { NL: false } });
  try {
    const play = async (player: Player) => {
      const series = await player.call('POST', `${HOUSE}/series`, { body: { ...DICE, count: 2 } });
      const bets = [];
      for (let i = 0; i < 2; i++) bets.push(await player.call('POST', `${HOUSE}/bet`, { body: DICE }));
      return [series, ...bets].map(codeOf);
    };
    expect(await play(dutch)).toEqual(['403 SERIES_CLOSED', '201', '429 BET_TOO_SOON']);
    expect((await play(german)).slice(0, 2)).toEqual(['201', '201']);
  } finally {
    await setCommon(kyc, { minBetIntervalMsByCountry: {}, seriesByCountry: {} });
  }
});

describe("the platform's own protocol", () => {
  test.each<[unknown, string | null]>([
    ['NL', 'NL'],
    ['nl', 'NL'],
    ['NLD', 'NL'],
    [' Nld ', 'NL'],
    [['NLD'], 'NL'],
    ['', null],
    [null, null],
    [undefined, null],
    ['ZZ', null],
    ['Holland', null],
    [528, null],
    [true, null],
    [{ code: 'NL' }, null],
    [['NL', 'DE'], null],
    ['N'.repeat(5000), null],
  ])('approves a report with the document country %j and stores %j', async (documentCountry, due) => {
    const player = await own.applicant();
    await own.say(player, 'APPROVED', { documentCountry });
    expect((await own.tierOf(player)).status).toBe('APPROVED');
    expect(await storedOf(own, player)).toBe(due);
  });

  test('reports other unknown fields in the metrics, but not documentCountry', async () => {
    const player = await own.applicant();
    await own.say(player, 'APPROVED', { documentCountry: 'NL', passportColour: 'red' });
    const counted = await own.app.services.metrics.registry.metrics();
    expect(counted).toContain(
      'croupier_partner_unknown_fields_total{partner="sandbox",field="passportColour"',
    );
    expect(counted).not.toContain('field="documentCountry"');
  });

  test('stores only countries of verified documents, and replaces a stored country only when IDENTITY is approved again', async () => {
    const player = await own.applicant();
    const say = (status: string, documentCountry?: string, fields: object = {}) =>
      own.say(player, status, { ...(documentCountry && { documentCountry }), ...fields });
    await say('PENDING', 'NL');
    await say('REJECTED', 'NL', { rejectType: 'RETRY' });
    await say('APPROVED', 'NL', { tier: 'BASIC' });
    await say('APPROVED', 'NL', { occurredAt: '2020-01-01T00:00:00.000Z' });
    expect(await storedOf(own, player)).toBeNull();
    await say('APPROVED', 'FR', { tier: 'ADDRESS' });
    expect(await storedOf(own, player)).toBe('FR');
    await say('APPROVED', 'NL');
    await say('APPROVED', 'BE', { tier: 'SOURCE_OF_FUNDS' });
    await say('APPROVED');
    expect(await storedOf(own, player)).toBe('NL');
    await say('APPROVED', 'BE');
    expect(await storedOf(own, player)).toBe('BE');
  });

  test('stores the document country when the provider confirms an approval by staff', async () => {
    const player = await own.applicant();
    const staff = await own.app.as({ permissions: ['kyc.approve'] });
    const body = { tier: 'IDENTITY', action: 'APPROVE', reason: 'seen in person' };
    expect(codeOf(await staff.call('PATCH', `/admin/kyc/${player.id}`, { body }))).toBe('200');
    await own.say(player, 'APPROVED', {
      documentCountry: 'NL',
      occurredAt: new Date(Date.now() + 1000).toISOString(),
    });
    expect(await storedOf(own, player)).toBe('NL');
  });

  test('removes the document country when the player states a different identity', async () => {
    const player = await own.applicant();
    await own.say(player, 'APPROVED', { documentCountry: 'NL' });
    const staff = await own.app.as({ permissions: ['kyc.approve'] });
    const state = async (fields: object) => {
      const body = { tier: 'BASIC', action: 'RESET', reason: 'a slip of the pen' };
      await staff.call('PATCH', `/admin/kyc/${player.id}`, { body });
      expect(codeOf(await player.call('POST', '/kyc/basic', { body: { ...PERSON, ...fields } }))).toBe('201');
      return storedOf(own, player);
    };
    expect(await state({ city: 'Bonn' })).toBe('NL');
    expect(await state({ lastName: 'Finch' })).toBeNull();
  });

  test('stores the country sent by the sandbox, which is the stated country unless the decision contains another one', async () => {
    const player = await own.applicant();
    const decision = { userId: player.id, tier: 'IDENTITY', status: 'APPROVED' };
    expect((await own.decide(decision)).sent.documentCountry).toBe('DE');
    expect(await storedOf(own, player)).toBe('DE');
    await own.decide({ ...decision, documentCountry: 'nld' });
    expect(await storedOf(own, player)).toBe('NL');
  });

  test('shows staff that a document is from a country other than the stated one', async () => {
    const staff = await own.app.as({ permissions: ['kyc.read'] });
    const player = await own.applicant();
    const signals = async () => (await staff.call('GET', `/admin/kyc/${player.id}`)).body.riskSignals;
    await own.say(player, 'APPROVED', { documentCountry: 'DEU' });
    expect(await signals()).not.toContainEqual(
      expect.objectContaining({ code: 'DOCUMENT_COUNTRY_MISMATCH' }),
    );
    const occurredAt = new Date().toISOString();
    await own.say(player, 'APPROVED', { documentCountry: 'NLD', occurredAt });
    expect(await signals()).toContainEqual({
      code: 'DOCUMENT_COUNTRY_MISMATCH',
      severity: 'MEDIUM',
      detail: 'has stated DE, identity document issued by NL',
      at: occurredAt,
    });
  });

  test('removes the document country when the player is erased, and stores none from later reports', async () => {
    const player = await own.applicant();
    await own.say(player, 'APPROVED', { documentCountry: 'NL' });
    await erase(own.app.services, { userId: player.id, by: player.id, reason: 'requested' });
    expect(await storedOf(own, player)).toBeNull();
    await own.say(player, 'APPROVED', { documentCountry: 'BE' });
    expect(await storedOf(own, player)).toBeNull();
  });
});

describe('Sumsub', () => {
  const approve = async (player: { id: number }, fields: object = {}) => {
    const decision = {
      dialect: 'sumsub',
      userId: player.id,
      tier: 'IDENTITY',
      status: 'APPROVED',
      ...fields,
    };
    const answer = await sumsub.decide(decision);
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    expect(JSON.stringify(answer.sent)).not.toContain('NLD');
  };
  const run = (player: { id: number }, tier = 'IDENTITY') =>
    sumsub.app.services.kyc.fetchDocumentCountry({ provider: 'sumsub', userId: player.id, tier });
  const jobsOf = async ({ id }: { id: number }) => {
    const rows = await sumsub.app.db
      .withSchema('graphile_worker')
      .selectFrom('jobs' as never)
      .select(['key' as never])
      .where('key' as never, '=', `${DOCUMENT_COUNTRY}:${id}` as never)
      .execute();
    return rows.length;
  };

  test('queues one job after an approval, and the job stores the country of the document', async () => {
    const [player, other] = [await sumsub.applicant(), await sumsub.applicant()];
    await approve(player, { documentCountry: 'NLD' });
    await approve(player, { tier: 'ADDRESS' });
    await approve(other, { status: 'ON_HOLD', documentCountry: 'NLD' });
    expect([await jobsOf(player), await jobsOf(other)]).toEqual([1, 0]);
    expect(await storedOf(sumsub, player)).toBeNull();
    const queue = startQueue({
      connectionString: sumsub.app.database.url,
      tasks: { [DOCUMENT_COUNTRY]: sumsub.app.services.kyc.fetchDocumentCountry },
      concurrency: 1,
      log: sumsub.app.services.log,
    });
    await expect.poll(() => storedOf(sumsub, player), { timeout: 8000 }).toBe('NL');
    await queue.close();
    expect(await storedOf(sumsub, other)).toBeNull();
  });

  const passport = (country: unknown, fields: object = {}) => ({ idDocType: 'PASSPORT', country, ...fields });
  const bill = { idDocType: 'UTILITY_BILL', country: 'BEL', issuedDate: '2026-10-01' };
  test.each<[name: string, idDocs: object[], due: string | null]>([
    ['no document', [], null],
    ['a passport', [passport('NLD')], 'NL'],
    ['a type in lower case', [{ idDocType: 'id_card', country: 'nld' }], 'NL'],
    ['a proof of address first', [bill, passport('NLD')], 'NL'],
    ['only a proof of address', [bill], null],
    ['two documents without dates', [passport('NLD'), passport('FRA')], 'NL'],
    [
      'two documents with dates',
      [
        passport('NLD', { issuedDate: '2015-04-20' }),
        { idDocType: 'RESIDENCE_PERMIT', country: 'FRA', issuedDate: '2021-04-20' },
      ],
      'FR',
    ],
    ['an unreadable document', [passport(null), passport(7), passport('???'), passport('NLD')], 'NL'],
    ['only an unreadable document', [passport('???')], null],
  ])('stores the document country for %s', async (_, idDocs, due) => {
    const player = await sumsub.applicant();
    await approve(player, { idDocs });
    await run(player);
    expect(await storedOf(sumsub, player)).toBe(due);
  });

  test.each(['down', 'garbage'])(
    'throws, so that the queue retries, while the provider is %s',
    async (mode) => {
      const player = await sumsub.applicant();
      await approve(player, { documentCountry: 'NLD' });
      await sumsub.outside.behave('kyc', mode);
      await expect(run(player)).rejects.toThrow();
      await sumsub.outside.behave('kyc', 'ok');
      expect(await storedOf(sumsub, player)).toBeNull();
      await run(player);
      expect(await storedOf(sumsub, player)).toBe('NL');
    },
  );

  test('stores nothing for an unknown applicant, a withdrawn approval, an erased player or another provider', async () => {
    const [unknown, reset, erased, moved] = await Promise.all(
      Array.from({ length: 4 }, () => sumsub.applicant()),
    );
    for (const player of [unknown!, reset!, erased!, moved!])
      await approve(player, { documentCountry: 'NLD' });
    await sumsub.app.db
      .updateTable('kyc_applicants')
      .set({ applicant_id: 'deleted' })
      .where('user_id', '=', unknown!.id)
      .execute();
    const staff = await sumsub.app.as({ permissions: ['kyc.approve'] });
    const body = { tier: 'IDENTITY', action: 'RESET', reason: 'a forgery' };
    expect(codeOf(await staff.call('PATCH', `/admin/kyc/${reset!.id}`, { body }))).toBe('200');
    await erase(sumsub.app.services, { userId: erased!.id, by: erased!.id, reason: 'requested' });
    for (const player of [unknown!, reset!, erased!]) await run(player);
    const plain = await startApp({ database: sumsub.app.database, env: sumsub.outside.env });
    await plain.services.kyc.fetchDocumentCountry({
      provider: 'sumsub',
      userId: moved!.id,
      tier: 'IDENTITY',
    });
    await plain.stop();
    for (const player of [unknown!, reset!, erased!, moved!])
      expect(await storedOf(sumsub, player)).toBeNull();
    await run(moved!);
    expect(await storedOf(sumsub, moved!)).toBe('NL');
  });

  test('fails permanently for a job that does not contain a player and a document tier', async () => {
    for (const payload of [null, {}, { provider: 'sumsub', userId: 1, tier: 'BASIC' }])
      await expect(sumsub.app.services.kyc.fetchDocumentCountry(payload)).rejects.toThrow('does not name');
  });
});
