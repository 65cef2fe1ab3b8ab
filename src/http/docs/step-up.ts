/** A section for a service's API reference that explains how to handle 403 MFA_REQUIRED. */
export const STEP_UP = `## Proving the second factor again

What a stolen session must not do asks staff for the second factor once more: rights, balances, API keys, payouts, settings. Such operations take
the header \`x-mfa-code\`, the current code of the authenticator app. It is not needed while this session has proven the second factor within
the last 15 minutes (\`STEP_UP_SECONDS\`), by its sign-in or by an earlier code. Without either they answer

\`\`\`json
{ "statusCode": 403, "code": "MFA_REQUIRED", "details": { "header": "x-mfa-code" } }
\`\`\`

Ask for the code and send the same request again, with the same \`Idempotency-Key\` where there was one:

\`\`\`sh
curl -X PUT "$API/admin/user/42/roles" -H "authorization: Bearer $TOKEN" \\
  -H "x-mfa-code: 123456" -H "content-type: application/json" -d '{"roles":["SUPPORT"]}'
\`\`\`

A code counts once and proves the session for the next 15 minutes: send no code with the calls that follow. One that is wrong or was used before
answers 400 \`MFA_INVALID\`, also in a session that needs none; after ten wrong ones every code of this session is refused with 429 \`RATE_LIMITED\` for half an hour.
A passkey proves the session as well: \`POST /user/passkeys/proof\` of the main API, then the same request again; its \`mfaCode\` may also be sent as the header, once.
Without the detail \`header\` the second factor is missing altogether: turn it on (\`GET /user/generate-2fa\`, \`POST /user/enable-2fa\`), or sign in with it.`;

export const STEP_UP_HEADER =
  'The current code of the authenticator app, or the `mfaCode` of a passkey, unless this session has proven the second factor within the last minutes.';
