import { createHmac, randomBytes } from 'node:crypto';
import { type Endpoint, json, parseObject, type SandboxAnswer, type SandboxRequest } from './endpoint.ts';
import { type Applicant, applicantOf, type KycWorld, TIERS } from './kyc-world.ts';

type Fields = Record<string, unknown>;

/** The subset of Sumsub's API that the platform uses (https://docs.sumsub.com), below /kyc. */
export function sumsubEndpoints(world: KycWorld): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/kyc/resources/applicants',
      about: 'Sumsub: creates an applicant on the level given in the query.',
      example: '{ "externalUserId": "1", "fixedInfo": { "firstName": "Ada" } }',
      handle: (request) => signed(world, request, 'POST', ['/resources/applicants', 'levelName'], create),
    },
    {
      method: 'GET',
      path: '/kyc/resources/applicants/{selector}/one',
      about:
        'Sumsub: returns an applicant by id or `-;externalUserId=<user id>`, with the examined documents in info.idDocs.',
      handle: (request) =>
        signed(world, request, 'GET', [`/resources/applicants/${request.params.selector}/one`], find),
    },
    {
      method: 'PATCH',
      path: '/kyc/resources/applicants/{id}/fixedInfo',
      about: 'Sumsub: stores the data that the applicant states.',
      handle: (request) =>
        signed(world, request, 'PATCH', [`/resources/applicants/${request.params.id}/fixedInfo`], renew),
    },
    {
      method: 'POST',
      path: '/kyc/resources/accessTokens/sdk',
      about: 'Sumsub: returns a token for its SDK.',
      example: '{ "userId": "1", "levelName": "identity", "ttlInSecs": 1800 }',
      handle: (request) => signed(world, request, 'POST', ['/resources/accessTokens/sdk'], token),
    },
  ];
}

type Work = (world: KycWorld, request: SandboxRequest, input: Fields) => SandboxAnswer;

/** `address` is the path below the base URL, including the signed query parameter. */
function signed(
  world: KycWorld,
  request: SandboxRequest,
  method: string,
  [path, parameter]: readonly [string, string?],
  work: Work,
): SandboxAnswer {
  const { headers, query, body } = request;
  const asked = parameter ? `?${parameter}=${encodeURIComponent(query.get(parameter) ?? '')}` : '';
  const at = String(headers['x-app-access-ts']);
  const wanted = createHmac('sha256', world.secret).update(`${at}${method}${path}${asked}${body}`);
  const isRight =
    headers['x-app-token'] === world.key &&
    Math.abs(Date.now() / 1000 - Number(at)) < 60 &&
    headers['x-app-access-sig'] === wanted.digest('hex');
  if (!isRight) return problem(401, 'Request signature mismatch');
  return work(world, request, parseObject(body) ?? {});
}

const problem = (code: number, description: string) => json(code, { code, description });
const shown = ({ id, userId, person, idDocs }: Applicant) => ({
  id,
  externalUserId: String(userId),
  fixedInfo: person,
  ...(idDocs.length > 0 ? { info: { idDocs } } : {}),
  review: { reviewStatus: 'init' },
});
const numbered = (text: unknown) => (/^\d+$/.test(String(text)) ? Number(text) : undefined);

const create: Work = (world, { query }, { externalUserId, fixedInfo }) => {
  const userId = numbered(externalUserId);
  if (userId === undefined) return problem(400, 'externalUserId');
  if (!world.levels.includes(query.get('levelName') ?? '')) return problem(404, 'Level not found');
  const known = world.applicants.get(userId);
  if (known) return problem(409, `Applicant with external user id '${userId}' already exists: ${known.id}`);
  return json(201, shown(applicantOf(world, userId, (fixedInfo ?? null) as Applicant['person'])));
};

const find: Work = (world, { params: { selector = '' } }) => {
  const userId = numbered(/^-;externalUserId=(.+)$/.exec(selector)?.[1]);
  const applicant =
    userId === undefined
      ? [...world.applicants.values()].find(({ id }) => id === selector)
      : world.applicants.get(userId);
  return applicant ? json(200, shown(applicant)) : problem(404, 'Applicant not found');
};

const renew: Work = (world, { params }, input) => {
  const applicant = [...world.applicants.values()].find(({ id }) => id === params.id);
  if (!applicant) return problem(404, 'Applicant not found');
  applicant.person = input;
  return json(200, input);
};

const token: Work = (world, _request, { userId, levelName }) => {
  const applicant = world.applicants.get(numbered(userId) ?? 0);
  if (!applicant || !world.levels.includes(String(levelName))) return problem(404, 'Not found');
  applicant.levels.push(String(levelName));
  return json(200, { token: `_act-sbx-${randomBytes(24).toString('base64url')}`, userId });
};

/** Builds a webhook as Sumsub sends it. The field `algorithm` selects the digest. */
export function sumsubNotice({ webhookSecret, levels }: KycWorld, said: Fields) {
  const { status, tier, occurredAt } = said;
  const levelName = said.levelName ?? levels[TIERS.indexOf(tier as (typeof TIERS)[number])];
  const isRejected = status === 'REJECTED';
  const isReviewed = isRejected || status === 'APPROVED';
  const algorithm = said.algorithm === 'sha512' ? 'sha512' : 'sha256';
  const type = isReviewed
    ? 'Reviewed'
    : { PENDING: 'Pending', ON_HOLD: 'OnHold', RESET: 'Reset' }[`${status}`];
  const text = JSON.stringify({
    applicantId: said.applicantId,
    inspectionId: randomBytes(12).toString('hex'),
    applicantType: 'individual',
    correlationId: said.eventId,
    levelName,
    externalUserId: String(said.userId),
    type: said.type ?? `applicant${type}`,
    sandboxMode: true,
    reviewStatus: isReviewed ? 'completed' : String(status).toLowerCase(),
    ...(isReviewed
      ? {
          reviewResult: {
            reviewAnswer: isRejected ? 'RED' : 'GREEN',
            ...(isRejected
              ? { reviewRejectType: said.rejectType ?? 'RETRY', rejectLabels: said.rejectLabels ?? [] }
              : {}),
            moderationComment: said.moderationComment,
            clientComment: said.clientComment,
          },
        }
      : {}),
    createdAtMs: String(occurredAt).replace('T', ' ').replace('Z', ''),
    clientId: 'croupier',
  });
  const digest = createHmac(algorithm, webhookSecret).update(text).digest('hex');
  const name = `HMAC_${algorithm.toUpperCase()}_HEX`;
  return { text, headers: { 'x-payload-digest': digest, 'x-payload-digest-alg': name } };
}
