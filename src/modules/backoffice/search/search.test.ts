import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Answer, betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { newCodes, newPromo } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { aHash, giveAddress } from '../../../../test/kit/money/deposits.ts';
import { KINDS } from './hits.ts';

const app = fixture(() => startApp({ reconcileOnStop: false }));
const boss = fixture(() => app.as('superadmin'));
const READS = Object.values(KINDS);
const all = fixture(() => app.as({ permissions: [...READS, 'user.pii'] }));
const masked = fixture(() => app.as({ permissions: [...READS] }));

const find = (by: Player, q: string, more = '') =>
  by.call('GET', `/admin/search?q=${encodeURIComponent(q)}${more}`);
/** Returns the hits of all kinds as `kind id`. */
const hitsOf = ({ body }: Answer) =>
  body.groups.flatMap(({ hits }: any) => hits.map(({ kind, id }: any) => `${kind} ${id}`)) as string[];
const found = async (by: Player, q: string, more?: string) => hitsOf(await find(by, q, more));

const txHash = aHash();
const payments = fixture(async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const address = await giveAddress(app.db, player.id);
  const recipient = `T${randomBytes(16).toString('hex')}1`;
  const [withdrawal, deposit] = [randomUUID(), randomUUID()];
  await sql`insert into withdrawals (id, user_id, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address, status,
      status_history, risk_score, risk_reasons, tx_hash)
    values (${withdrawal}, ${player.id}, 'USDT', 'tron', 25000000000, 0, 1, true, ${recipient}, 'CANCELLED', '[]', 0, '{}', ${txHash})`.execute(
    app.db,
  );
  await sql`insert into deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id, pay_address,
      amount, usd_amount, required_confirmations, noticed_at, tx_hash)
    values (${deposit}, ${player.id}, 'WRITTEN_OFF', '[]', 'sandbox', ${deposit}, 'USDT', 'tron', ${address}, 100000000, 1, 20, now(),
      ${txHash})`.execute(app.db);
  return { player, address, recipient, withdrawal, deposit };
});

describe('GET /admin/search', () => {
  test('finds a player by id and by the beginning of the username, the exact name first', async () => {
    const name = `q${randomBytes(5).toString('hex')}`;
    const [longer, player] = [
      await app.newPlayer({ username: `${name}_2` }),
      await app.newPlayer({ username: name }),
    ];
    const due = [player, longer].map(({ id }) => `player ${id}`);
    expect(await found(all, name.toUpperCase())).toEqual(due);
    expect(await found(all, `${name}_`)).toEqual([due[1]]);
    expect(await found(all, `#${player.id}`)).toContain(due[0]);
    expect(await found(all, name.slice(1))).toEqual([]);
  });

  test('shows a banned player with the state and the email address, masked without user.pii', async () => {
    const player = await app.newPlayer();
    await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', player.id).execute();
    const hit = { kind: 'player', id: String(player.id), title: player.username, state: 'BANNED' };
    const shown = async (by: Player) => (await find(by, player.username)).body.groups;
    expect(await shown(all)).toEqual([
      { kind: 'player', hits: [{ ...hit, subtitle: `${player.username}@test.example` }], hasMore: false },
    ]);
    expect((await shown(masked))[0].hits[0].subtitle).toBe('p_***@test.example');
  });

  test('finds players by email, IP address and wallet address only with user.pii', async () => {
    const { player, address, recipient } = payments;
    const ip = `10.${player.id % 250}.77.99`;
    await app.db.updateTable('sessions').set({ ip_address: ip }).where('user_id', '=', player.id).execute();
    const texts = [
      `${player.username}@test.example`,
      `${player.username}@`,
      ip,
      address,
      recipient,
      recipient.toUpperCase(),
    ];
    for (const q of texts) {
      expect(await found(all, q), q).toEqual([`player ${player.id}`]);
      expect(await found(masked, q), q).toEqual([]);
    }
  });

  test('finds payments by id and by transaction hash, in every spelling of the hash', async () => {
    const { player, withdrawal, deposit } = payments;
    expect((await find(all, withdrawal)).body.groups).toEqual([
      {
        kind: 'withdrawal',
        hits: [
          {
            kind: 'withdrawal',
            id: withdrawal,
            title: '250 USDT',
            subtitle: player.username,
            state: 'CANCELLED',
          },
        ],
        hasMore: false,
      },
    ]);
    const [hit] = (await find(all, deposit)).body.groups[0].hits;
    expect(hit).toEqual({
      kind: 'deposit',
      id: deposit,
      title: '1 USDT',
      subtitle: player.username,
      state: 'FAILED',
    });
    for (const q of [txHash, `0x${txHash}`, txHash.toUpperCase(), ` ${txHash} `])
      expect(await found(masked, q), q).toEqual([`withdrawal ${withdrawal}`, `deposit ${deposit}`]);
    expect(await found(all, randomUUID())).toEqual([]);
  });

  test('finds a bet by its id and by the id of its round at the provider', async () => {
    const { player } = payments;
    const { betId } = (await betOnDice(player)).body;
    const reference = `round-${betId}`;
    await sql`insert into provider_rounds (id, provider_id, user_id, round_ref, game_id, currency_id, bet_id, status, stakes, wins)
      select ${betId}::int8, g.provider_id, ${player.id}::int, ${reference}::text, g.id, 'USDT', ${betId}::int8, 'CLOSED', 1, 0
      from games g where slug = 'dice'`.execute(app.db);
    await sql`insert into provider_transactions (id, provider_id, transaction_id, user_id, round_id, type, currency_id, amount, content,
        status, balance)
      select r.id, r.provider_id, ${`tx-${betId}`}::text, r.user_id, r.id, 'BET', 'USDT', 1, '', 'DONE', 0
      from provider_rounds r where r.round_ref = ${reference}`.execute(app.db);
    for (const q of [betId, reference, `tx-${betId}`])
      expect(await found(all, q), q).toContain(`bet ${betId}`);
    const { hits } = (await find(all, reference)).body.groups[0];
    expect(hits[0]).toMatchObject({ title: 'Dice, 1 USDT', subtitle: player.username, state: 'SETTLED' });
  });

  test('finds games by name and slug, and promotions by name, code and id', async () => {
    const name = `Spring ${randomBytes(4).toString('hex')}`;
    const promo = await newPromo(boss, { name });
    const [code] = await newCodes(boss, promo, { code: `SPRING${randomBytes(4).toString('hex')}` });
    expect(await found(all, 'dic')).toContain('game dice');
    expect((await find(all, 'dice')).body.groups.at(-1).hits[0]).toMatchObject({
      id: 'dice',
      title: 'Dice',
      state: null,
    });
    for (const q of [name.toUpperCase(), code!, code!.slice(0, -1), promo])
      expect(await found(all, q), q).toContain(`promotion ${promo}`);
    const { hits } = (await find(all, code!)).body.groups.at(-1);
    expect(hits).toEqual([{ kind: 'promotion', id: promo, title: name, subtitle: code, state: 'ACTIVE' }]);
    expect(await found(all, '100%')).toEqual([]);
  });

  test('returns at most `take` hits of a kind, and whether there are more', async () => {
    const name = `t${randomBytes(5).toString('hex')}`;
    for (let i = 0; i < 7; i++) await app.newPlayer({ username: `${name}_${i}` });
    const sizeOf = async (more?: string) => {
      const [{ hits, hasMore }] = (await find(all, name, more)).body.groups;
      return [hits.length, hasMore];
    };
    expect(await sizeOf()).toEqual([5, true]);
    expect(await sizeOf('&take=6')).toEqual([6, true]);
    expect(await sizeOf('&take=7')).toEqual([7, false]);
    for (const query of [
      'q=x&take=21',
      'q=x&take=0',
      'take=5',
      'q=',
      `q=${'x'.repeat(201)}`,
      'q=x&kind=player',
    ])
      expect((await all.call('GET', `/admin/search?${query}`)).status, query).toBe(400);
    expect((await find(all, '   ')).body).toEqual({ groups: [] });
  });

  test('searches only the kinds that the caller may list, and rejects callers without any of the permissions', async () => {
    const { player, withdrawal } = payments;
    for (const [kind, permission] of Object.entries(KINDS)) {
      const clerk = await app.as({ permissions: [permission] });
      const seen = [
        await found(clerk, player.username),
        await found(clerk, txHash),
        await found(clerk, 'dice'),
      ].flat();
      expect(new Set(seen.map((hit) => hit.split(' ')[0])), kind).toEqual(
        new Set(['player', 'withdrawal', 'deposit', 'game'].filter((one) => one === kind)),
      );
    }
    for (const permissions of [['user.pii'], ['note.read']]) {
      const answer = await find(await app.as({ permissions }), withdrawal);
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await find(player, withdrawal)).status).toBe(403);
    expect((await app.call('GET', '/admin/search?q=x')).status).toBe(401);
    expect(await found(boss, withdrawal)).toEqual([`withdrawal ${withdrawal}`]);
  });

  test('writes each search to the audit log', async () => {
    const q = `${payments.player.username}@`;
    await find(all, q);
    const row = await app.db
      .selectFrom('admin_audit')
      .select(['path', 'status_code', 'request_body', 'permission'])
      .where('user_id', '=', all.id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      path: '/admin/search',
      status_code: 200,
      request_body: { q },
      permission: READS.join(' or '),
    });
  });

  test('shows the text of a search in the audit log only with user.pii', async () => {
    const [clear, reader] = await Promise.all([
      app.as({ permissions: ['audit.read', 'user.pii'] }),
      app.as({ permissions: ['audit.read'] }),
    ]);
    const seeker = await app.as({ permissions: [...READS] });
    const texts = [payments.player.username, '%61nn@te', String(payments.player.id), txHash];
    for (const q of texts) await find(seeker, q);
    const seenBy = async (by: Player) =>
      (await by.call('GET', `/admin/user/admin-audit?userId=${seeker.id}`)).body.data
        .map(({ requestBody }: any) => requestBody.q)
        .reverse();
    expect(await seenBy(clear)).toEqual(texts);
    expect(await seenBy(reader)).toEqual(['***', '***', texts[2], txHash]);
  });
});
