/** A section of a service's API reference that explains how to handle 403 MFA_REQUIRED. */
export const STEP_UP = `## Verifying the second factor again

Sensitive staff operations (permissions, balances, API keys, payouts, settings) require the second factor again, so that a stolen session
cannot use them. Send the current code of the authenticator app in the header \`x-mfa-code\`. The header is not needed if this session has
verified the second factor within the last 15 minutes (\`STEP_UP_SECONDS\`), at sign-in or with an earlier code. Otherwise the response is

\`\`\`json
{ "statusCode": 403, "code": "MFA_REQUIRED", "details": { "header": "x-mfa-code" } }
\`\`\`

Ask the user for the code and send the same request again. If it had an \`Idempotency-Key\`, send the same key:

\`\`\`sh
curl -X PUT "$API/admin/user/42/roles" -H "authorization: Bearer $TOKEN" \\
  -H "x-mfa-code: 123456" -H "content-type: application/json" -d '{"roles":["SUPPORT"]}'
\`\`\`

Each code works once. It verifies the session for the next 15 minutes, so do not send a code with the requests that follow. A wrong or used
code returns 400 \`MFA_INVALID\`, even in a session that does not need a code. After ten wrong codes, every code of this session returns
429 \`RATE_LIMITED\` for half an hour. A passkey also verifies the session: call \`POST /user/passkeys/proof\` of the main API, then send the
request again. You can also send the \`mfaCode\` that it returns in the header, once. If \`details\` does not contain \`header\`, the account has
no second factor or the session was started without it. Turn it on (\`GET /user/generate-2fa\`, \`POST /user/enable-2fa\`), or sign in with it.`;

export const STEP_UP_HEADER =
  'The current code of the authenticator app, or the `mfaCode` of a passkey check. Not needed if this session has verified the second factor within the last minutes.';
