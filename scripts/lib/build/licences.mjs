/** Licences that ask for no more than to be named, so that the program can be passed on under its own. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
];

/**
 * An SPDX expression: of alternatives one is enough, of parts all are needed.
 * @param {string} [expression]
 */
export function isAllowed(expression = '') {
  const alternatives = expression.replace(/[()]/g, '').split(' OR ');
  return alternatives.some(parts => parts.split(' AND ').every(name => ALLOWED.includes(name.trim())));
}
