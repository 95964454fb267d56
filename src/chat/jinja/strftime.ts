const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (value: number) => String(value).padStart(2, '0');

const DIRECTIVES: Record<string, (date: Date) => string> = {
  a: date => (DAYS[date.getDay()] ?? '').slice(0, 3),
  A: date => DAYS[date.getDay()] ?? '',
  b: date => (MONTHS[date.getMonth()] ?? '').slice(0, 3),
  B: date => MONTHS[date.getMonth()] ?? '',
  c: date => strftime(date, '%a %b %e %H:%M:%S %Y'),
  d: date => two(date.getDate()),
  D: date => strftime(date, '%m/%d/%y'),
  e: date => String(date.getDate()).padStart(2, ' '),
  F: date => strftime(date, '%Y-%m-%d'),
  h: date => strftime(date, '%b'),
  H: date => two(date.getHours()),
  I: date => two(date.getHours() % 12 || 12),
  j: date => String(dayOfYear(date)).padStart(3, '0'),
  m: date => two(date.getMonth() + 1),
  M: date => two(date.getMinutes()),
  n: () => '\n',
  p: date => (date.getHours() < 12 ? 'AM' : 'PM'),
  R: date => strftime(date, '%H:%M'),
  S: date => two(date.getSeconds()),
  t: () => '\t',
  T: date => strftime(date, '%H:%M:%S'),
  u: date => String(date.getDay() || 7),
  w: date => String(date.getDay()),
  x: date => strftime(date, '%m/%d/%y'),
  X: date => strftime(date, '%H:%M:%S'),
  y: date => two(date.getFullYear() % 100),
  Y: date => String(date.getFullYear()),
  // A naive datetime has no zone.
  z: () => '',
  Z: () => '',
  '%': () => '%',
};

/** Python's `strftime` in the C locale and local time; `%-d` drops the padding. The user's locale has no effect. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (whole, dash: string, letter: string) => {
    const text = DIRECTIVES[letter]?.(date);
    if (text === undefined) return whole;
    return dash ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

function dayOfYear(date: Date): number {
  const midnight = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((midnight - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000) + 1;
}
