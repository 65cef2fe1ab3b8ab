import type { GameProviderSettings } from './game-providers.ts';

/** The sandbox's public key. The private key is in the source code, so a signature made with it proves nothing outside development. */
export const SANDBOX_PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApsQYlnzASpwjPsZoDvWb
qjCQbhARDyKp/n8nyekipU1gLbRPl7EY2VCCJky9qWszn3QdvoMA6k7M7Qq1NfQc
rIDA+xbyLqFYhjfXmwd185UpIoiXaPXyvz1cRAt+i67GKcctohAax+DjFZiqblxQ
zHvniDsdJsebAI8ZgZd/HEarrVAcOrgsyKtI5Hhhx52NTyfFo+CG4SMTusNWJfzM
81aO1hW5lHjidEI4PFPGmmOebEIauGV7UHga11nz/tes1Wn0BRnz7SnaudKS6c1K
bBF7rch7eNBnAAz+/QJMOAWUhVGRfktLyPT6iKfHoqmtYQjVL9u5wM66MbS66WLj
MQIDAQAB
-----END PUBLIC KEY-----
`;

/** Our private key for the sandbox, for development only. */
export const SANDBOX_PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDLaXkaubMn2qfQ
bwddXQdxjBrQYLxGyFHqWfXKAdCj9Yfl2vQvTgfVUdEG00frMfhA47UuquH/qS6d
BOdZsL3XzNrWE0Iw5aGoGgzwzEHyPpqG/dV22dAqqGElSTaKmZDcTm9x38WJvRxp
nGw048zAdVv7eq/xJbQ5/ZnxjyoKDutBHY4h/PGyI0uO9qYqqQuY6I+cwS9p6lCV
OCvMjrDgcmBx8jhEvax4aPy1JPHedOzDPZ5c5mk7c70YeS5PcFYvuQu3MQaXuAim
cre9/lBacYiZQxxc1cItw//XiBI5I9L0rQCYvfSPg9gZZTATjAhe/7IFEzw4tEXK
FHodJGHRAgMBAAECggEAD5ompAekDRsG7dm4/A7OKttJv+ZORV7zyuDH6wzfltaW
7BOy0MwQlWqso0mNGyZejy+dbpfEikp3nQCgHto2fY56J0XGjnSWmovA/AQBd5YY
s+EAFhktOpBmvyg8oD3uMA/DbuhwlkOPTIR8gkQKKPr3frRm5BLLHlBBlhcv7Mxx
eZFumYAZSo6S3i5dhTnLPHlHcHb1OcthOBxMNjneGSfYlrR1ORnwxzYOO/YxStKW
7/gvCACHXfGaZiVIlcOJzBqBQ/sds2bw5e7bYdGqqPsIoKkcvK1KdkL+PRl2gxZk
YXX3Y1ecd1fpLZqVn/cL2eFwkYpIXZor+dFnx77RPwKBgQDnFiNEkW8KBFpW++Co
T3B6EM3x2HcMMr1rEVVTzER6Nl8QI232xRVLP7Zzsix4RPM88WFpFNQQ/P829PnH
yj0aKfFYCoFna4qnUG7nHguxmTbIMd0AZBzItBh2I8xWAUWxWW9caGW0Nyyz10nd
F7xKqhwe+a+7BVK1H5spyDC7mwKBgQDhV4joUtaJfZB0vnsFGaqjQervtDGJ6/w3
6kGiyBI+3MRuys8wjdUd1ElzZHCFkQ8LylV27NEDLkmXoLeT7XMEXGhxECs6g9lN
S1UwMDHy08hL++w/NOQaM5SLYu2JLbrMWqgTze/67y7bhpKiPXKA7edPxXcmdIgL
c2CTTR79AwKBgFqKs/rTuNwF5JecTOPlbD6Hgwm1NL/UyZ6/xdz1dgckco7SMu2z
PqqjJguizgW5jkxcjzwq6wRU/HI9/fgn51TvBh7mztkEq+jufOWVQiOt0mcSEnNq
xlRlLAht8kvoZ7QbRKTCSscXry4vtkMoX6ApkqcYUaBHb6aD4bm3NFDtAoGBAMPA
SdMf2vRXGnz/11gn4r6tjYwraXlZgaGFIv1odckb+JwSHAgevYqLFj9iegjdaUeh
vbpwoGT1+cH5QGAFvouERsoo9JSBYuytS1RwGYPLC81OC/0gUiKcuiaXiqdHDWVm
P2ns1NKUoozbC1harrRndjAq5oWGZ4Qi9zsenJPHAoGADm7ziDNz8igzyPplZAeZ
e6m5poDXcV8T9Eq07AAKpOI3O/rqZpj6kz13xpxqu0UI34FXyJtRLwNLF4oTyiVY
U5c8EE4Tw82WLYHz34AMU5p67QJxFeN7i9rgBcdIB4uljA321cOWBNuwANbXxgAL
m4/KT6RpfXk+ohgjLwJLbHs=
-----END PRIVATE KEY-----
`;

const CURRENCIES = ['USDT', 'BTC', 'ETH', 'EUR', 'USD'];
const currencies = (decimalsOf: (code: string) => number) =>
  CURRENCIES.map((code) => ({ ours: code, code, factor: '1', decimals: decimalsOf(code) }));

/** Returns the game providers that the sandbox simulates, one in each dialect. */
export const sandboxProviders = (sandbox: string): GameProviderSettings[] => {
  const common = {
    secrets: [],
    publicKeys: [],
    launchOrigins: [sandbox],
    blockedCountries: [],
    endRound: true,
    operatorId: 'sandbox',
    feePercent: '0',
  };
  return [
    {
      ...common,
      slug: 'sandbox',
      name: 'Sandbox',
      dialect: 'generic',
      apiUrl: `${sandbox}/games/generic`,
      secrets: ['sandbox-games-secret'],
      currencies: currencies(() => 8),
    },
    {
      ...common,
      slug: 'sandbox-hub88',
      name: 'Sandbox Hub88',
      prefix: 'hub88',
      dialect: 'hub88',
      apiUrl: `${sandbox}/games/hub88`,
      operatorId: '1',
      publicKeys: [SANDBOX_PUBLIC_KEY],
      privateKey: SANDBOX_PRIVATE_KEY,
      currencies: currencies(() => 5),
    },
    {
      ...common,
      slug: 'sandbox-softswiss',
      name: 'Sandbox SOFTSWISS',
      prefix: 'softswiss',
      dialect: 'softswiss',
      apiUrl: `${sandbox}/games/softswiss`,
      secrets: ['sandbox-softswiss-token'],
      currencies: currencies((code) => (code === 'BTC' || code === 'ETH' ? 8 : 2)),
    },
    {
      ...common,
      slug: 'sandbox-pragmatic',
      name: 'Sandbox Pragmatic',
      prefix: 'pragmatic',
      dialect: 'pragmatic',
      apiUrl: `${sandbox}/games/pragmatic`,
      secrets: ['sandbox-pragmatic-secret'],
      currencies: currencies(() => 2),
    },
  ];
};
