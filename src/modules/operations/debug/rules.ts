export const testEmailOf = (username: string) => `${username.toLowerCase()}@test.example`;
