import { beforeAll, describe, expect, test } from 'vitest';
import {
  array,
  bytes,
  cborInt,
  type Lies,
  map,
  text,
} from '../../../../../test/kit/accounts/authenticator.ts';
import {
  addPasskey,
  authenticatorFor,
  done,
  listed,
  provenBy,
  register,
  registrationOptions,
  remove,
} from '../../../../../test/kit/accounts/passkeys.ts';
import { isOn, outcome, proved, startFactorWorld } from '../../../../../test/kit/accounts/second-factor.ts';
import { whileSessionsEnd } from '../../../../../test/kit/accounts/session-end.ts';
import { turnOnMfa } from '../../../../../test/kit/accounts/totp.ts';
import type { Player, TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { signInAgain } from '../../../../../test/kit/http/requests.ts';

let app: TestApp;
const world = fixture(startFactorWorld);
beforeAll(async () => {
  app = world.app;
});

const openedAgo = ({ id }: Player, seconds: number) =>
  app.sql`update sessions set created_at = now() - make_interval(secs => ${seconds}) where user_id = ${id}`.execute(
    app.db,
  );
const anotherSession = async (player: Player): Promise<Player> => {
  const { token } = await signInAgain(app, player);
  return {
    ...player,
    token,
    call: ((method, path, o = {}) => app.call(method, path, { token, ...o })) as Player['call'],
  };
};
const rowsOf = ({ id }: Player) =>
  app.db.selectFrom('passkeys').selectAll().where('user_id', '=', id).orderBy('created_at').execute();
const resetAt = async (player: Player) => (await world.factorOf(player))?.reset_at ?? null;
const notificationsOf = async ({ call }: Player): Promise<string[]> =>
  done(await call('GET', '/notifications')).map((one: any) => one.payload?.code);

describe('registration', () => {
  test('returns options with the site, the user and the requirements for the authenticator', async () => {
    const player = await app.newPlayer();
    const options = done(await registrationOptions(player));
    expect(options).toEqual({
      rp: { id: 'localhost', name: 'Croupier' },
      user: {
        id: expect.stringMatching(/^[\w-]{43}$/),
        name: `${player.username}@test.example`,
        displayName: player.username,
      },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    });
    const again = done(await registrationOptions(player));
    expect(again.user).toEqual(options.user);
    expect(again.challenge).not.toBe(options.challenge);
    const other = done(await registrationOptions(await app.newPlayer()));
    expect(other.user.id).not.toBe(options.user.id);
  });

  test.each([0, 1])(
    'rejects a session that ends while its passkey is verified, when the user has %i passkeys',
    async (count) => {
      const player = await app.newPlayer();
      for (let i = 0; i < count; i++) await addPasskey(player, authenticatorFor(app));
      const response = authenticatorFor(app).create(done(await registrationOptions(player)));
      const answer = await whileSessionsEnd(app, player.id, () => register(player, response));
      expect(outcome(answer)).toBe('401 UNAUTHORIZED');
      expect(await rowsOf(player)).toHaveLength(count);
    },
  );

  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'turns on two-factor authentication with a passkey of %s',
    async (algorithm) => {
      const player = await app.newPlayer();
      const expectEnd = await world.knownEverywhere(player);
      const authenticator = authenticatorFor(app, { algorithm });
      const { passkey, recoveryCodes } = await addPasskey(player, authenticator, '  My  phone ');
      expect(passkey).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'My  phone',
        isBackedUp: false,
        createdAt: expect.any(String),
        lastUsedAt: null,
      });
      expect(new Set(recoveryCodes).size).toBe(10);
      expect(await isOn(player)).toBe(true);
      await expectEnd();
      expect(await world.liveSessionsOf(player)).toEqual([
        { mfa_method: 'PASSKEY', mfa_at: expect.any(Date) },
      ]);
      expect(await world.told(player, /passkey was added/i)).toContain('My  phone');
      expect(await notificationsOf(player)).toContain('security.passkey-added');
      expect(await listed(player)).toEqual({
        passkeys: [passkey],
        isAppEnabled: false,
        recoveryCodesLeft: 10,
      });
      const [row] = await rowsOf(player);
      expect(row!.transports).toEqual(['hybrid', 'internal']);
      expect(row!.credential_id.toString('base64url')).toBe(authenticator.credentials[0]!.id);
      // A signature by any of the user's passkeys is accepted.
      expect(await provenBy(player, authenticator)).toMatch(/^pk_[\w-]{43}$/);
      expect((await listed(player)).passkeys[0].lastUsedAt).toEqual(expect.any(String));
    },
  );

  test('adds another passkey without issuing new recovery codes or ending sessions, and lists existing passkeys in the options', async () => {
    const player = await app.newPlayer();
    await addPasskey(player, authenticatorFor(app));
    const { token } = await signInAgain(app, player);
    const second = authenticatorFor(app);
    const options = done(await registrationOptions(player));
    const [row] = await rowsOf(player);
    expect(options.excludeCredentials).toEqual([
      {
        id: row!.credential_id.toString('base64url'),
        type: 'public-key',
        transports: ['hybrid', 'internal'],
      },
    ]);
    const added = done(await register(player, second.create(options), 'Key ring'));
    expect(added).not.toHaveProperty('recoveryCodes');
    expect(await world.statusOf(token, app)).toBe(200);
    const { passkeys, recoveryCodesLeft } = await listed(player);
    expect(passkeys.map((one: { name: string }) => one.name)).toEqual(['Laptop', 'Key ring']);
    expect(recoveryCodesLeft).toBe(10);
    expect(await resetAt(player)).toBeNull();
  });

  test('rejects a 21st passkey with 409', async () => {
    const player = await app.newPlayer();
    await addPasskey(player, authenticatorFor(app));
    const options = done(await registrationOptions(player));
    await app.sql`insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, is_backed_up, name)
      select gen_random_uuid(), ${player.id}, sha256(gen_random_uuid()::text::bytea), '\\x00', 0, '{}', false, 'x'
      from generate_series(1, 19)`.execute(app.db);
    expect(outcome(await registrationOptions(player))).toBe('409 PASSKEY_LIMIT');
    const late = await register(player, authenticatorFor(app).create(options));
    expect(outcome(late)).toBe('409 PASSKEY_LIMIT');
    expect(late.body.details).toEqual({ max: 20 });
  });

  test('requires a recent sign-in, or a recent second-factor check when a second factor is on', async () => {
    const player = await app.newPlayer();
    await openedAgo(player, 301);
    expect(outcome(await registrationOptions(player))).toBe('403 SIGN_IN_AGAIN');
    await openedAgo(player, 299);
    await addPasskey(player, authenticatorFor(app));
    await openedAgo(player, 9999);
    expect(outcome(await registrationOptions(player))).toBe('201');
    await proved(app, player, 301);
    expect(outcome(await registrationOptions(player))).toBe('403 MFA_REQUIRED');
    // This session was just started, but has not proven the factor.
    expect(outcome(await registrationOptions(await anotherSession(player)))).toBe('403 MFA_REQUIRED');
  });

  test('rejects users with a temporary password', async () => {
    const player = await app.newPlayer();
    const temporary = { password_is_temporary: true };
    await app.db.updateTable('users').set(temporary).where('id', '=', player.id).execute();
    expect(outcome(await registrationOptions(player))).toBe('400 PASSWORD_TEMPORARY');
  });

  test.each<[string, Lies]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['from another port of the same host', { origin: 'http://localhost:1' }],
    ['from a page opened by IP address', { origin: 'http://127.0.0.1' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['with an assertion instead of a registration', { type: 'webauthn.get' }],
    ['without user verification', { isVerified: false }],
    ['without user presence', { isPresent: false }],
    ['created in a frame of another site', { isFramed: true }],
    ['with an algorithm that was not offered', { algorithm: -37 }],
    ['with an id that differs from the attested one', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    [
      'with certificates that would trigger revocation list requests',
      {
        attestation: {
          format: 'packed',
          statement: map([
            [text('alg'), cborInt(-7)],
            [text('sig'), bytes(Buffer.alloc(70))],
            [text('x5c'), array([bytes(Buffer.from('none'))])],
          ]),
        },
      },
    ],
    ['with an attestation that was not requested', { attestation: { format: 'tpm', statement: map([]) } }],
    [
      'with an invalid self-attestation',
      {
        attestation: {
          format: 'packed',
          statement: map([
            [text('alg'), cborInt(-7)],
            [text('sig'), bytes(Buffer.alloc(70))],
          ]),
        },
      },
    ],
  ])('rejects a passkey %s and consumes the challenge', async (_, lies) => {
    const player = await app.newPlayer();
    const options = done(await registrationOptions(player));
    const made = authenticatorFor(app).create(options, lies);
    expect(outcome(await register(player, made))).toBe('400 PASSKEY_INVALID');
    expect(outcome(await register(player, authenticatorFor(app).create(options)))).toBe(
      '400 PASSKEY_CHALLENGE_INVALID',
    );
    expect(await isOn(player)).toBe(false);
    expect(await rowsOf(player)).toEqual([]);
  });

  test('rejects malformed attestation and client data', async () => {
    const player = await app.newPlayer();
    // Malformed CBOR: a hundred nested lists, a length beyond the end of the data, and an unterminated map.
    const rubbish = [
      Buffer.alloc(12_000, 0x81),
      Buffer.from('bbffffffffffffffff', 'hex'),
      Buffer.from('bf'),
      Buffer.from('a1'),
    ];
    for (const attestationObject of rubbish) {
      const options = done(await registrationOptions(player));
      const made = authenticatorFor(app).create(options);
      made.response.attestationObject = attestationObject.toString('base64url');
      expect(outcome(await register(player, made))).toBe('400 PASSKEY_INVALID');
    }
    for (const clientDataJSON of ['AAAA', Buffer.from('{}').toString('base64url')]) {
      const made = authenticatorFor(app).create(done(await registrationOptions(player)));
      made.response.clientDataJSON = clientDataJSON;
      expect(outcome(await register(player, made))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    }
  });

  test('accepts a challenge only once, in its session, for its purpose and until it expires', async () => {
    const player = await app.newPlayer();
    const other = await anotherSession(player);
    const options = done(await registrationOptions(player));
    const authenticator = authenticatorFor(app);
    for (const who of [other, await app.newPlayer()])
      expect(outcome(await register(who, authenticator.create(options)))).toBe(
        '400 PASSKEY_CHALLENGE_INVALID',
      );
    const made = authenticator.create(options);
    expect(outcome(await register(player, made))).toBe('201');
    expect(outcome(await register(player, made))).toBe('400 PASSKEY_CHALLENGE_INVALID');

    const late = done(await registrationOptions(player));
    await app.sql`update one_time_tokens set expires_at = now() where user_id = ${player.id}`.execute(app.db);
    expect(outcome(await register(player, authenticator.create(late)))).toBe('400 PASSKEY_CHALLENGE_INVALID');
    const lie = authenticator.create(done(await registrationOptions(player)), { challenge: 'c'.repeat(43) });
    expect(outcome(await register(player, lie))).toBe('400 PASSKEY_CHALLENGE_INVALID');
  });

  test('invalidates a challenge when a second factor is turned on after the challenge was issued', async () => {
    const player = await app.newPlayer();
    const options = done(await registrationOptions(player));
    await turnOnMfa(app, player);
    expect(outcome(await register(player, authenticatorFor(app).create(options)))).toBe(
      '400 PASSKEY_CHALLENGE_INVALID',
    );
  });

  test('requires a check of a second factor that was added in the meantime, even with a valid challenge', async () => {
    const player = await app.newPlayer();
    const options = done(await registrationOptions(player));
    const seal = { active: Buffer.from('x'), user_id: player.id };
    await app.db.insertInto('mfa_secrets').values(seal).execute();
    expect(outcome(await register(player, authenticatorFor(app).create(options)))).toBe('403 MFA_REQUIRED');
  });

  test('registers only one passkey and one set of recovery codes when 20 concurrent calls use the same challenge', async () => {
    const player = await app.newPlayer();
    const options = done(await registrationOptions(player));
    const authenticator = authenticatorFor(app);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => register(player, authenticator.create(options))),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.filter((one) => one === '201')).toHaveLength(1);
    for (const other of outcomes.filter((one) => one !== '201'))
      expect(other).toMatch(/^(400 PASSKEY_CHALLENGE_INVALID|429 RATE_LIMITED)$/);
    expect(await rowsOf(player)).toHaveLength(1);
    expect((await listed(player)).recoveryCodesLeft).toBe(10);
  });

  test('rejects a passkey that is already registered to another user', async () => {
    const [owner, thief] = [await app.newPlayer(), await app.newPlayer()];
    const authenticator = authenticatorFor(app);
    const made = authenticator.create(done(await registrationOptions(owner)));
    done(await register(owner, made));
    const options = done(await registrationOptions(thief));
    const copy = {
      ...made,
      response: {
        ...made.response,
        clientDataJSON: Buffer.from(
          JSON.stringify({
            type: 'webauthn.create',
            challenge: options.challenge,
            origin: app.config.passkeyOrigins[0],
          }),
        ).toString('base64url'),
      },
    };
    expect(outcome(await register(thief, copy))).toBe('409 PASSKEY_EXISTS');
    expect(await isOn(thief)).toBe(false);
  });

  test('allows ten failed registrations in half an hour and rejects further ones', async () => {
    const player = await app.newPlayer();
    const made = authenticatorFor(app).create({
      ...done(await registrationOptions(player)),
      challenge: 'c'.repeat(43),
    });
    const tries = await Promise.all(Array.from({ length: 15 }, () => register(player, made)));
    const outcomes = tries.map(outcome);
    expect(outcomes.filter((one) => one === '400 PASSKEY_CHALLENGE_INVALID')).toHaveLength(10);
    expect(outcomes.filter((one) => one === '429 RATE_LIMITED')).toHaveLength(5);
  });
});

describe('names', () => {
  test('accepts only a single line of text as a passkey name, and only from the owner', async () => {
    const player = await app.newPlayer();
    const { passkey } = await addPasskey(player, authenticatorFor(app));
    const rename = (who: Player, name: unknown) =>
      who.call('PATCH', `/user/passkeys/${passkey.id}`, { body: { name } });
    expect((await rename(player, 'Büro')).body).toEqual({ ...passkey, name: 'Büro' });
    expect(outcome(await rename(await app.newPlayer(), 'mine'))).toBe('404 PASSKEY_NOT_FOUND');
    for (const name of ['', ' ', 'two\nlines', 'x'.repeat(65), 7, null])
      expect(outcome(await rename(player, name))).toBe('400 VALIDATION_FAILED');
    expect((await listed(player)).passkeys[0].name).toBe('Büro');
    const none = '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d';
    expect(outcome(await player.call('PATCH', `/user/passkeys/${none}`, { body: { name: 'x' } }))).toBe(
      '404 PASSKEY_NOT_FOUND',
    );
  });
});

describe('removal', () => {
  test('removes one of several passkeys, keeps two-factor authentication on, ends other sessions and notifies the owner', async () => {
    const player = await app.newPlayer();
    const [first, second] = [authenticatorFor(app), authenticatorFor(app)];
    const { passkey } = await addPasskey(player, first, 'Old phone');
    await addPasskey(player, second);
    const expectEnd = await world.knownEverywhere(player);
    expect((await remove(player, passkey.id)).body).toEqual({ success: true });
    await expectEnd();
    expect(await world.statusOf(player.token, app)).toBe(200);
    expect(await isOn(player)).toBe(true);
    expect((await listed(player)).recoveryCodesLeft).toBe(10);
    expect(await world.told(player, /passkey was removed/i)).toContain('Old phone');
    expect(await notificationsOf(player)).toContain('security.passkey-removed');
    const ended = await app.db
      .selectFrom('sessions')
      .select('revoked_reason')
      .where('user_id', '=', player.id)
      .where('revoked_at', 'is not', null)
      .execute();
    expect(ended).toEqual([{ revoked_reason: 'PASSKEY_REMOVED' }]);
    expect(outcome(await remove(player, passkey.id))).toBe('404 PASSKEY_NOT_FOUND');
  });

  test('turns two-factor authentication off and deletes the recovery codes when the last passkey is removed', async () => {
    const player = await app.newPlayer();
    const { passkey, recoveryCodes } = await addPasskey(player, authenticatorFor(app));
    expect(outcome(await remove(player, passkey.id))).toBe('200');
    expect(await isOn(player)).toBe(false);
    expect(await listed(player)).toEqual({ passkeys: [], isAppEnabled: false, recoveryCodesLeft: 0 });
    expect(await world.told(player, /turned off/)).toContain('Laptop');
    expect(await world.liveSessionsOf(player)).toEqual([{ mfa_method: null, mfa_at: null }]);
    expect(await resetAt(player)).toBeNull();
    expect(recoveryCodes).toHaveLength(10);
  });

  test('requires a recent second-factor check or a code of this session to remove a passkey, and returns 404 to other users', async () => {
    const player = await app.newPlayer();
    const authenticator = authenticatorFor(app);
    const { passkey, recoveryCodes } = await addPasskey(player, authenticator);
    expect(outcome(await remove(await app.newPlayer(), passkey.id))).toBe('404 PASSKEY_NOT_FOUND');
    const other = await anotherSession(player);
    expect(outcome(await remove(other, passkey.id))).toBe('403 MFA_REQUIRED');
    await proved(app, player, 301);
    expect(outcome(await remove(player, passkey.id))).toBe('403 MFA_REQUIRED');
    const mfaCode = await provenBy(player, authenticator);
    await proved(app, player, 301);
    for (const wrong of ['123456', recoveryCodes![0], `pk_${'x'.repeat(43)}`])
      expect(outcome(await remove(player, passkey.id, { mfaCode: wrong }))).toBe('400 MFA_INVALID');
    // A code is valid only in the session for which it was issued.
    expect(outcome(await remove(other, passkey.id, { mfaCode }))).toBe('400 MFA_INVALID');
    expect(outcome(await remove(player, passkey.id, { mfaCode }))).toBe('200');
  });

  test('turns two-factor authentication off only if no passkey remains when the last two are removed concurrently', async () => {
    const player = await app.newPlayer();
    const made = [
      await addPasskey(player, authenticatorFor(app)),
      await addPasskey(player, authenticatorFor(app)),
    ];
    const answers = await Promise.all(made.map(({ passkey }) => remove(player, passkey.id)));
    expect(answers.map(outcome)).toContain('200');
    // The second request may be rejected, because the session may no longer have a proof of the factor.
    const { passkeys } = await listed(player);
    expect(await isOn(player)).toBe(passkeys.length > 0);
    expect((await rowsOf(player)).length).toBe(passkeys.length);
  });

  test('rejects the removal of the last second factor of staff when they must have one, but allows it for players', async () => {
    const { startApp } = await import('../../../../../test/kit/app.ts');
    const strict = await startApp({
      database: app.database,
      env: { ...world.outside.env, STAFF_MFA_REQUIRED: 'true' },
    });
    const clerk = await strict.as({ permissions: ['user.read'] });
    const first = await addPasskey(clerk, authenticatorFor(strict));
    expect(outcome(await remove(clerk, first.passkey.id))).toBe('409 LAST_FACTOR');
    const second = await addPasskey(clerk, authenticatorFor(strict));
    expect(outcome(await remove(clerk, first.passkey.id))).toBe('200');
    expect(outcome(await remove(clerk, second.passkey.id))).toBe('409 LAST_FACTOR');
    const { secret } = await turnOnMfa(strict, clerk);
    expect(secret).toBeTruthy();
    expect(outcome(await remove(clerk, second.passkey.id))).toBe('200');
    // Players may always remove their last factor.
    const player = await strict.newPlayer();
    const own = await addPasskey(player, authenticatorFor(strict));
    expect(outcome(await remove(player, own.passkey.id))).toBe('200');
    await strict.stop();
  });
});
