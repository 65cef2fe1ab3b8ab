import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { createEncryption } from '../../../platform/secrets/encryption.ts';
import { reseal } from '../../../platform/secrets/reseal.ts';
import { createPersons } from '../../compliance/kyc/persons.ts';
import { createSeedEncryption } from '../../games/fairness/service.ts';
import { resealAll, sealedColumns } from './service.ts';

const before = fixture(startApp);
const renewed = () => {
  const { DATA_SECRET, SEED_SECRET } = before.config;
  return {
    DATA_SECRET: randomBytes(32).toString('hex'),
    DATA_SECRET_PREVIOUS: DATA_SECRET,
    SEED_SECRET: randomBytes(32).toString('hex'),
    SEED_SECRET_PREVIOUS: SEED_SECRET,
  };
};
const PERSON = { firstName: 'Ada', lastName: 'Kos', birthDate: '1990-05-10', country: 'DE' };
const BASIC = { ...PERSON, city: 'Berlin', address: 'Road 1', postalCode: '10115' };
const silent = () => undefined;

test('re-encrypts all secrets while a platform with the new keys is running', async () => {
  const player = await before.newPlayer({ usdt: 20 });
  await betOnDice(player);
  expect((await player.call('POST', '/kyc/basic', { body: BASIC })).status).toBe(201);
  const secrets = renewed();
  const after = await startApp({ database: before.database, env: secrets });
  try {
    // Data that was encrypted with the previous secrets can be read even before it is re-encrypted.
    const again = await after.newPlayer({ username: player.username });
    expect((await betOnDice(again)).status).toBe(201);
    await after.assertInvariants().catch(silent);

    const { unreadable, resealed } = await resealAll(before.db, secrets, silent);
    expect(unreadable).toBe(0);
    expect(resealed).toBeGreaterThanOrEqual(2);
    expect(await resealAll(before.db, secrets, silent)).toMatchObject({ resealed: 0, unreadable: 0 });

    // The new secrets can decrypt all data without the previous ones.
    const alone = { DATA_SECRET: secrets.DATA_SECRET, SEED_SECRET: secrets.SEED_SECRET };
    for (const column of sealedColumns({
      ...alone,
      DATA_SECRET_PREVIOUS: undefined,
      SEED_SECRET_PREVIOUS: undefined,
    }))
      expect(await reseal(before.db, column, silent), column.table).toMatchObject({
        resealed: 0,
        unreadable: 0,
      });
    const seeds = await before.db.selectFrom('seed_pairs').select('server_seed').execute();
    const encryption = createSeedEncryption(secrets.SEED_SECRET);
    for (const { server_seed } of seeds) expect(encryption.open(server_seed)).toMatch(/^[0-9a-f]{64}$/);
    const person = await before.db
      .selectFrom('kyc_persons')
      .selectAll()
      .where('user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    const persons = createPersons(secrets.DATA_SECRET);
    const stated = persons.open(person.sealed!);
    expect(stated).toMatchObject(PERSON);
    expect(persons.keysOf(stated)[0]!.equals(person.person_key!)).toBe(true);
  } finally {
    // Re-encrypts the seeds in this test file with the previous secret, to restore the initial state.
    const { DATA_SECRET, SEED_SECRET } = before.config;
    const back = {
      DATA_SECRET,
      SEED_SECRET,
      DATA_SECRET_PREVIOUS: secrets.DATA_SECRET,
      SEED_SECRET_PREVIOUS: secrets.SEED_SECRET,
    };
    await resealAll(before.db, back, silent);
    await after.app.close();
    await after.services.close();
  }
});

test('counts a value that neither secret can decrypt, and does not change it', async () => {
  await before.newPlayer();
  const foreign = renewed();
  const column = sealedColumns({ ...foreign, SEED_SECRET_PREVIOUS: randomBytes(32).toString('hex') }).find(
    ({ table }) => table === 'seed_pairs',
  )!;
  const stored = () => before.db.selectFrom('seed_pairs').select('server_seed').orderBy('id').execute();
  const earlier = await stored();
  const { rows, resealed, unreadable } = await reseal(before.db, column, silent);
  expect([rows, resealed, unreadable]).toEqual([earlier.length, 0, earlier.length]);
  expect(await stored()).toEqual(earlier);
});

test('decrypts with both secrets, and encrypts with the current secret', () => {
  const [current, previous] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const [old, both, alone] = [
    createEncryption(previous, 'test'),
    createEncryption({ current, previous }, 'test'),
    createEncryption(current, 'test'),
  ];
  const plain = Buffer.from('plain');
  expect(both.open(old.seal(plain))).toEqual(plain);
  expect(both.isCurrent(old.seal(plain))).toBe(false);
  expect(alone.open(both.seal(plain))).toEqual(plain);
  expect(both.isCurrent(both.seal(plain))).toBe(true);
  expect(() => both.open(createEncryption('another secret', 'test').seal(plain))).toThrow();
  expect(() => alone.open(old.seal(plain))).toThrow();
});
