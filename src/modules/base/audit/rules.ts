/** The hundreds of a status code by the names that the list is filtered with. */
export const RESPONSE_CLASSES = {
  Informational: 1,
  Successful: 2,
  Redirection: 3,
  Client_Error: 4,
  Server_Error: 5,
} as const;

export type ResponseClass = keyof typeof RESPONSE_CLASSES;
