/** Scenarios that fail on purpose, and why. */
export const EXCEPTIONS = {
  'auth/client-credentials-jwt': 'an extension for programs without a user',
  'auth/client-credentials-basic': 'an extension for programs without a user',
  'auth/cross-app-access-complete-flow': 'an extension for the applications of an enterprise',
  'auth/enterprise-managed-authorization': 'an extension for the applications of an enterprise',
  'auth/dpop': 'an extension: tokens bound to a key of the client',
  'auth/dpop-nonce': 'an extension: tokens bound to a key of the client',
  'auth/wif-jwt-bearer': 'an extension for programs without a user',
};
