/** Runs every case of the specification that can be tested from outside the platform, over real HTTP and in every dialect. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, startApp, type TestApp } from '../test/kit/app.ts';
import { addSupplierGames, lineTo, SUPPLIERS, startSuppliers, vectors } from '../test/kit/games/suppliers.ts';
import { casesOf, playCase } from './case.ts';
import { CASES } from './cases.ts';
import { signGeneric } from './dialects/generic.ts';
import { signHub88 } from './dialects/hub88.ts';
import { hashPragmatic } from './dialects/pragmatic.ts';
import { signSoftswiss } from './dialects/softswiss.ts';
import { dialects } from './dialects.ts';
import { createTable } from './table.ts';

let app: TestApp;
let suppliers: Awaited<ReturnType<typeof startSuppliers>>;
beforeAll(async () => {
  suppliers = await startSuppliers();
  app = await startApp({ env: { ...PATIENCE, ...suppliers.env, TRUSTED_PROXIES: '127.0.0.1' } });
  await addSupplierGames(app);
});
// The ledger must balance at the end: reconcile runs when the app stops.
afterAll(async () => {
  await app.stop();
  await suppliers.close();
});

describe.each([...SUPPLIERS, dialects.sportsbook])('$name', (dialect) => {
  const played = casesOf(CASES, dialect.letter).filter(({ elsewhere }) => !elsewhere);
  test.each(played.map((one) => [one.number, one.title, one] as const))('%i %s', (_number, _title, one) =>
    playCase(one, createTable(lineTo(app, dialect), one.wish)),
  );
});

test('computes the signatures given in the specification', () => {
  const { generic, hub88, softswiss, pragmatic } = vectors;
  const [own] = generic.vectors;
  expect(signGeneric(own!.body, generic.secret, 1_764_000_000)).toBe(own!.value);
  for (const { body, signature } of hub88.vectors) expect(signHub88(body, hub88.privateKey)).toBe(signature);
  for (const { body, signature } of softswiss.vectors)
    expect(signSoftswiss(body, softswiss.authToken)).toBe(signature);
  for (const { params, hash } of pragmatic.vectors)
    expect(hashPragmatic(params, pragmatic.secret)).toBe(hash);
});

test('covers every numbered case of the specification', () => {
  const numbers = new Set(CASES.map(({ number }) => number));
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 87 }, (_, n) => n + 1));
});
