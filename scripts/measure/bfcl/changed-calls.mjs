/**
 * Calls for a case that are right, or wrong in some way: accepted values, then one change after another.
 * @param {import('../../../dist/bench/tools/cases/tool-case.js').ToolCase} one
 * @param {number} seed
 * @param {{ new (value: number): { value: number } }} Float
 */
export function changedCalls(one, seed, Float) {
  const random = randoms(seed);
  const pick = list => list[Math.floor(random() * list.length)];
  if (one.expected.kind !== 'calls') {
    const [tool] = one.tools;
    return random() < 0.5 || !tool ? [] : [{ name: tool.function.name, arguments: {} }];
  }
  const { language, calls: wanted } = one.expected;
  const calls = wanted.map(({ name, arguments: accepted }) => ({
    name,
    arguments: Object.fromEntries(
      Object.entries(accepted).flatMap(([key, values]) => {
        const value = pick(values);
        return value === '' && values.length > 1 ? [] : [[key, written(plain(value, Float), language)]];
      }),
    ),
  }));
  for (let changes = pick([0, 0, 1, 1, 1, 2]); changes > 0; changes--) pick(CHANGES)(calls, pick, one);
  return calls;
}

/** The same numbers for the same seed. */
function randoms(seed) {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An accepted value as a model would write it. */
function plain(value, Float) {
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(item => plain(item, Float));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, accepted]) => [
    key,
    plain(Array.isArray(accepted) ? accepted[0] : accepted, Float),
  ]);
  return Object.fromEntries(entries.filter(([, one]) => one !== ''));
}

/** Values of Java and JavaScript are the text of a literal. */
function written(value, language) {
  if (language === 'json') return value;
  if (typeof value === 'string') return value;
  if (language === 'javascript') return JSON.stringify(value);
  if (Array.isArray(value))
    return `new ArrayList<>(Arrays.asList(${value.map(item => JSON.stringify(item)).join(', ')}))`;
  if (typeof value !== 'object' || value === null) return String(value);
  const puts = Object.entries(value).map(([key, item]) => `put("${key}", ${JSON.stringify(item)});`);
  return `new HashMap<String, Object>() {{ ${puts.join(' ')} }}`;
}

/** Each changes the calls in place. */
const CHANGES = [
  calls => calls.pop(),
  (calls, pick) => calls.push(structuredClone(pick(calls) ?? { name: 'none', arguments: {} })),
  calls => calls.reverse(),
  (calls, pick) => rename(pick(calls)),
  (calls, pick, one) => rename(pick(calls), pick(one.tools).function.name),
  (calls, pick) => remove(pick(calls), pick),
  (calls, pick) => set(pick(calls), 'unheard_of', 1),
  (calls, pick, one) => set(pick(calls), pick(namesOf(one)) ?? 'x', 'something'),
  ...[
    value => (typeof value === 'string' ? ` ${value.toUpperCase()}.` : value),
    value => (typeof value === 'string' ? `${value} and more` : value),
    value => (typeof value === 'number' ? value + 1 : value),
    value => (typeof value === 'number' ? value + 0.5 : value),
    value => (typeof value === 'number' ? String(value) : [value]),
    value => (Array.isArray(value) ? [...value].reverse() : value),
    value => (Array.isArray(value) ? value.map(String) : !value),
    value => (Array.isArray(value) ? value.slice(1) : null),
    value => (isObject(value) ? { ...value, more: 1 } : {}),
    value => (isObject(value) ? Object.fromEntries(Object.entries(value).slice(1)) : 7),
    value => (isObject(value) ? Object.fromEntries(Object.entries(value).map(([key]) => [key, 'x'])) : true),
    () => '',
    () => '[1, "two", true]',
    () => '{"a": 1, "b": [2, 3]}',
    value => `${value}f`,
    value => `${value}L`,
  ].map(change => (calls, pick) => replace(pick(calls), pick, change)),
];

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

const namesOf = one => Object.keys(one.tools[0]?.function.parameters.properties ?? {});

function rename(call, name = 'no_such_tool') {
  if (call) call.name = name;
}

function remove(call, pick) {
  if (call) delete call.arguments[pick(Object.keys(call.arguments))];
}

function set(call, name, value) {
  if (call) call.arguments[name] = value;
}

function replace(call, pick, change) {
  const name = call && pick(Object.keys(call.arguments));
  if (name !== undefined) call.arguments[name] = change(call.arguments[name]);
}
