// Verdicts by set and kind, with Wilson's 95 % intervals.

const Z = 1.96;

/** Wilson's interval of a share, from 0 to 1. */
export function wilson(count, total) {
  if (total === 0) return [0, 1];
  const share = count / total;
  const middle = share + Z ** 2 / (2 * total);
  const half = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2));
  const scale = 1 + Z ** 2 / total;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

/** As Markdown: a table of each set's kinds, and what became of those that are not right. */
export function table(results, sets) {
  return Object.entries(groupBy(results, ({ set }) => set))
    .map(([set, members]) => tableOf(set, members, sets[set]))
    .join('\n\n');
}

function tableOf(set, members, { bad, says }) {
  const kinds = Object.entries(groupBy(members, ({ kind }) => kind));
  const rows = [...kinds, ['all', members]].map(([kind, some]) => {
    const right = some.filter(({ verdict }) => verdict === 'right').length;
    const others = Object.entries(groupBy(some, ({ verdict }) => verdict)).filter(
      ([name]) => name !== 'right',
    );
    const counted = others.map(([name, list]) => `${name} ${list.length}`).join(', ');
    return `| ${kind} | ${right} of ${some.length} | ${interval(right, some.length)} | ${counted} |`;
  });
  const head = `| ${set} | Right | 95 % interval | Otherwise |\n| --- | --- | --- | --- |`;
  if (bad === undefined) return [head, ...rows].join('\n');
  const count = members.filter(({ verdict }) => verdict === bad).length;
  return [
    head,
    ...rows,
    '',
    `${says}: ${count} of ${members.length}, ${interval(count, members.length)}`,
  ].join('\n');
}

/** Lists by what `key` gives, in order of appearance. */
export function groupBy(list, key) {
  const groups = {};
  for (const one of list) {
    groups[key(one)] ??= [];
    groups[key(one)].push(one);
  }
  return groups;
}

function interval(count, total) {
  const [low, high] = wilson(count, total).map(share => (100 * share).toFixed(1));
  return `${((100 * count) / total).toFixed(1)} % (${low} to ${high})`;
}
