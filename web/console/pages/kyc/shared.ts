export const LIST = 'GET /admin/kyc';
export const ONE = 'GET /admin/kyc/{userId}';
export const TIERS = ['BASIC', 'IDENTITY', 'ADDRESS', 'SOURCE_OF_FUNDS'] as const;
