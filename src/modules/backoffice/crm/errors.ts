import { errors } from '../../../platform/errors.ts';

export const crmErrors = errors({
  SESSION_INVALID: [401, 'No session in force has this id.'],
  CRM_LIMIT_REACHED: [409, 'What may be credited on a day is used up; see details.'],
  CRM_TRIGGER_REUSED: [409, 'This trigger has credited something else before.'],
  NOT_SUPPORTED: [501, 'The body has a field that is not supported here; see details.fields.'],
});
