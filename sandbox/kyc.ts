import { randomBytes, randomUUID } from 'node:crypto';
import {
  createModes,
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  type SandboxService,
  secretOf,
  setting,
  signatureOf,
} from './endpoint.ts';
import { sumsubEndpoints, sumsubNotice } from './kyc-sumsub.ts';
import { type Applicant, applicantOf, type KycWorld, TIERS } from './kyc-world.ts';

const STATUSES = ['PENDING', 'ON_HOLD', 'APPROVED', 'REJECTED', 'EXPIRED', 'RESET'] as const;

type Fields = Record<string, unknown>;

/** A KYC provider with two dialects: our own protocol and Sumsub's. */
export function kyc({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  const world: KycWorld = {
    key: setting('KYC_API_KEY', 'sandbox-kyc-token'),
    secret: setting('KYC_API_SECRET', 'sandbox-kyc-secret'),
    webhookSecret: secretOf('KYC_WEBHOOK_SECRETS', 'sandbox-kyc-webhook-secret'),
    levels: setting('KYC_LEVELS', 'identity,address,source-of-funds').split(','),
    applicants: new Map(),
  };
  const modes = createModes(
    '/kyc/behaviour',
    ['ok', 'down', 'slow', 'garbage'],
    'Sets the behaviour towards the platform: ok, down (no response), slow (five seconds) or garbage (no JSON).',
  );
  return {
    name: 'Identity verification',
    about:
      'Creates applicants and issues tokens. You decide the result of each check. Below /kyc/resources it uses the protocol of ' +
      'Sumsub.',
    settings: { KYC_API_URL: `${url}/kyc` },
    endpoints: [
      ...[...ownEndpoints(world), ...sumsubEndpoints(world)].map((endpoint) => ({
        ...endpoint,
        handle: modes.behaving(endpoint.handle),
      })),
      {
        method: 'GET',
        path: '/kyc/applicants.json',
        about: 'Lists all applicants that the platform has created.',
        handle: () => json(200, [...world.applicants.values()]),
      },
      {
        method: 'POST',
        path: '/kyc/decide',
        about:
          'Reports one tier of a user to the platform: tier, status (PENDING, ON_HOLD, APPROVED, REJECTED, EXPIRED; RESET only in the ' +
          'Sumsub dialect) and further details. documentCountry is the country of the identity document. In our own protocol an ' +
          'approval of IDENTITY contains it (default: the stated country). In the Sumsub dialect it is part of the applicant, as an ' +
          'alpha-3 code or as a list of documents in idDocs, and type names another webhook, such as applicantDeactivated or ' +
          "applicantDeleted. Returns the platform's response.",
        example: '{ "userId": 1, "tier": "IDENTITY", "status": "REJECTED", "rejectType": "RETRY" }',
        handle: (request) => decide(world, apiUrl(), request),
      },
      modes.endpoint,
    ],
  };
}

const TOKEN_LIFE_MS = 1800_000;

function ownEndpoints(world: KycWorld): Endpoint[] {
  const guarded = (
    about: string,
    example: string,
    path: string,
    handle: (input: Fields) => SandboxAnswer,
  ): Endpoint => ({
    method: 'POST',
    path,
    about,
    example,
    handle: ({ headers, body }) => {
      const input = parseObject(body);
      if (headers['x-api-key'] !== world.key || !isSigned(world, headers['x-signature'], body))
        return json(401, { error: 'x-api-key or x-signature is wrong' });
      return input ? handle(input) : json(400, { error: 'the body must be a JSON object' });
    },
  });
  return [
    guarded(
      'Registers a user. Signed with x-signature, like webhooks.',
      '{ "userId": 1, "levelName": "identity", "person": { "firstName": "Ada" } }',
      '/kyc/applicants',
      ({ userId, levelName, person }) => {
        if (!Number.isInteger(userId) || !world.levels.includes(levelName as string))
          return json(400, { error: 'userId and levelName must be an existing user and level' });
        const applicant = applicantOf(world, userId as number, person as Applicant['person']);
        return json(200, { applicantId: applicant.id });
      },
    ),
    guarded(
      'Returns a token with which the user can submit documents.',
      '{ "applicantId": "…", "levelName": "identity", "ttlSeconds": 1800 }',
      '/kyc/access-tokens',
      ({ applicantId, levelName }) => {
        const applicant = [...world.applicants.values()].find(({ id }) => id === applicantId);
        if (!applicant) return json(404, { error: 'no such applicant' });
        applicant.levels.push(String(levelName));
        const expiresAt = new Date(Date.now() + TOKEN_LIFE_MS).toISOString();
        return json(200, { token: `sbx_${randomBytes(24).toString('base64url')}`, expiresAt });
      },
    ),
  ];
}

function isSigned({ secret }: KycWorld, header: unknown, body: string): boolean {
  const at = Number(/^t=(\d{1,12}),/.exec(String(header))?.[1]);
  return Math.abs(Date.now() / 1000 - at) <= 300 && header === signatureOf(body, secret, at);
}

async function decide(world: KycWorld, apiUrl: string, { body }: SandboxRequest): Promise<SandboxAnswer> {
  const { dialect = 'sandbox', idDocs, ...input } = parseObject(body) ?? {};
  const isKnown =
    (input.tier === 'BASIC' || TIERS.some((tier) => tier === input.tier)) &&
    STATUSES.some((status) => status === input.status);
  if (!isKnown) return json(400, { error: 'tier and status must be values listed on this page' });
  const applicant = world.applicants.get(input.userId as number);
  const applicantId = input.applicantId ?? applicant?.id;
  if (!applicantId) return json(404, { error: 'the platform has created no applicant for this user' });
  const said = { occurredAt: new Date().toISOString(), eventId: randomUUID(), ...input, applicantId };
  if (applicant) examine(applicant, { idDocs, documentCountry: input.documentCountry });
  if (input.type === 'applicantDeleted') world.applicants.delete(input.userId as number);
  const { text, headers } =
    dialect === 'sumsub'
      ? sumsubNotice(world, said)
      : ownNotice(world, { ...documentOf(applicant, said), ...said });
  const answer = await fetch(`${apiUrl}/webhooks/kyc/${dialect === 'sumsub' ? 'sumsub' : 'sandbox'}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const answered = await answer.text();
  return json(200, {
    status: answer.status,
    body: parseObject(answered) ?? answered,
    sent: JSON.parse(text),
  });
}

/** Replaces the documents that are returned with the applicant in Sumsub's dialect. */
function examine(applicant: Applicant, { idDocs, documentCountry }: Fields): void {
  if (Array.isArray(idDocs)) applicant.idDocs = idDocs;
  else if (documentCountry) applicant.idDocs = [{ idDocType: 'PASSPORT', country: documentCountry }];
}

/** Returns the document's country. For an approved document, this is the country that the player has stated. A decision may override it. */
function documentOf(applicant: Applicant | undefined, { tier, status }: Fields): Fields {
  const documentCountry = applicant?.person?.country;
  return documentCountry && status === 'APPROVED' && tier === 'IDENTITY' ? { documentCountry } : {};
}

function ownNotice({ webhookSecret }: KycWorld, said: Fields) {
  const text = JSON.stringify(said);
  return { text, headers: { 'x-signature': signatureOf(text, webhookSecret) } };
}
