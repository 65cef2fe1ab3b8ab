import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { ledgerErrors } from '../ledger/errors.ts';
import { OwnBalance, VaultBalance, VaultChange, VaultMove } from './schemas.ts';
import type { Wallet } from './service.ts';

const moveErrors = [
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  gateErrors.USER_BANNED,
];

const read = { method: 'GET', tag: 'Accounting', access: 'auth' } as const;
const vaultRoute = {
  method: 'POST',
  tag: 'Accounting',
  access: 'auth',
  gate: 'vault',
  idempotent: true,
  body: VaultMove,
  response: VaultChange,
} as const;

export const walletRoutes = (wallet: Wallet) => [
  route({
    ...read,
    path: '/accounting/balances',
    summary: 'Own cash balances, one per currency',
    response: z.array(OwnBalance),
    handler: ({ user }) => wallet.balances(user.id),
  }),
  route({
    ...read,
    path: '/accounting/vault-balances',
    summary: 'Own vault balances, one per currency',
    response: z.array(VaultBalance),
    handler: ({ user }) => wallet.vaultBalances(user.id),
  }),
  route({
    ...vaultRoute,
    path: '/accounting/to-vault',
    summary: 'Move cash into the vault',
    errors: [...moveErrors, gateErrors.ROLLOVER_OPEN, commonErrors.INSUFFICIENT_BALANCE],
    handler: ({ user, body, idempotencyKey }) => wallet.toVault(user.id, body, idempotencyKey),
  }),
  route({
    ...vaultRoute,
    path: '/accounting/from-vault',
    summary: 'Move money from the vault back to cash',
    errors: [...moveErrors, ledgerErrors.INSUFFICIENT_VAULT],
    handler: ({ user, body, idempotencyKey }) => wallet.fromVault(user.id, body, idempotencyKey),
  }),
];
