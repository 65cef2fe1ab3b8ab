import { errors } from '../../../platform/errors.ts';

export const crmErrors = errors({
  SESSION_INVALID: [401, 'No active session has this id.'],
  CRM_LIMIT_REACHED: [409, 'The daily credit limit is reached; see details.'],
  CRM_TRIGGER_REUSED: [409, 'This trigger was already used for a different credit.'],
  NOT_SUPPORTED: [501, 'The body has a field that is not supported here; see details.fields.'],
});
