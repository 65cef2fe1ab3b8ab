import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Amount, CurrencyId, Decimal, object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { ledgerErrors } from '../ledger/errors.ts';
import type { Kind } from '../ledger/kinds.ts';
import { post } from '../ledger/post.ts';
import { OwnBalance, VaultBalance, type WalletDeps } from './service.ts';

const balanceList = { method: 'GET', tag: 'Accounting', access: 'auth' } as const;

export const listBalances = operation({
  ...balanceList,
  path: '/accounting/balances',
  summary: 'List your balances by currency',
  response: z.array(OwnBalance),
  handler: ({ wallet }: WalletDeps, { user }) => wallet.balances(user.id),
});

export const listVaultBalances = operation({
  ...balanceList,
  path: '/accounting/vault-balances',
  summary: 'List your vault balances by currency',
  response: z.array(VaultBalance),
  handler: ({ wallet }: WalletDeps, { user }) => wallet.vaultBalances(user.id),
});

const VaultMove = strictObject('VaultMove', { currencyId: CurrencyId, amount: Amount });

const VaultChange = object('VaultChange', {
  currencyId: CurrencyId,
  amount: Decimal,
  usdAmount: Decimal,
  vaultAmount: Decimal,
  beforeBalance: Decimal,
  afterBalance: Decimal,
  beforeVaultBalance: Decimal,
  afterVaultBalance: Decimal,
  updatedAt: Timestamp,
});

const vaultMove = {
  method: 'POST',
  tag: 'Accounting',
  access: 'auth',
  gate: 'vault',
  idempotent: true,
  body: VaultMove,
  response: VaultChange,
} as const;
const vaultMoveErrors = [
  commonErrors.CURRENCY_NOT_FOUND,
  commonErrors.AMOUNT_OUT_OF_RANGE,
  gateErrors.USER_BANNED,
];

export const moveToVault = operation({
  ...vaultMove,
  path: '/accounting/to-vault',
  summary: 'Move money to the vault',
  errors: [
    ...vaultMoveErrors,
    gateErrors.ROLLOVER_OPEN,
    ledgerErrors.CLAIMS_OPEN,
    commonErrors.INSUFFICIENT_BALANCE,
  ],
  handler: (deps: WalletDeps, { user, body, idempotencyKey: key }) =>
    move(deps, { userId: user.id, key, body, kind: 'vault.to' }),
});

export const moveFromVault = operation({
  ...vaultMove,
  path: '/accounting/from-vault',
  summary: 'Move money from the vault',
  errors: [...vaultMoveErrors, ledgerErrors.INSUFFICIENT_VAULT],
  handler: (deps: WalletDeps, { user, body, idempotencyKey: key }) =>
    move(deps, { userId: user.id, key, body, kind: 'vault.from' }),
});

type Move = {
  userId: number;
  key: string | undefined;
  body: z.output<typeof VaultMove>;
  kind: Extract<Kind, 'vault.to' | 'vault.from'>;
};

async function move({ db, gate, grants, currencies }: WalletDeps, { userId, key, body, kind }: Move) {
  const { currencyId } = body;
  const amount = amountOf(body, currencies.get(currencyId).decimals);
  return runIdempotently(db, { userId, key, operation: kind, input: body }, async (tx) => {
    await gate.assertMay(tx, { action: 'vault', userId, country: null });
    if (kind === 'vault.to') await grants.assertNoneOpen(tx, userId, currencyId);
    const change = await postMove(tx, { userId, currencyId, amount, kind });
    return { ...change, usdAmount: formatUnits(currencies.toUsd(currencyId, amount)) };
  });
}

function amountOf({ amount, currencyId }: Move['body'], decimals: number): Units {
  const parsed = parseUnits(amount, decimals);
  if (parsed === undefined || parsed === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals });
  return parsed;
}

async function postMove(
  tx: Tx,
  {
    userId,
    currencyId,
    amount,
    kind,
  }: { userId: number; currencyId: string; amount: Units; kind: Move['kind'] },
): Promise<Omit<z.input<typeof VaultChange>, 'usdAmount'>> {
  const [debit, credit] = kind === 'vault.to' ? (['cash', 'vault'] as const) : (['vault', 'cash'] as const);
  const postings = [{ userId, currencyId, kind, debit, credit, amount }];
  const [posted] = await post(tx, [
    { key: `vault:${randomUUID()}`, kind, actorId: userId, mustFit: true, postings },
  ]);
  const { debitAfter, creditAfter } = posted!.postings[0]!;
  const [cash, vault] = debit === 'cash' ? [debitAfter!, creditAfter!] : [creditAfter!, debitAfter!];
  const change = debit === 'cash' ? -amount : amount;
  return {
    currencyId,
    amount: formatUnits(amount),
    vaultAmount: formatUnits(vault),
    beforeBalance: formatUnits(cash - change),
    afterBalance: formatUnits(cash),
    beforeVaultBalance: formatUnits(vault + change),
    afterVaultBalance: formatUnits(vault),
    updatedAt: iso(posted!.at),
  };
}
