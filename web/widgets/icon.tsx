/** Strokes on a field of 24 by 24. */
const PATHS = {
  alert:
    'M12 8v5m0 3.5v.01M10.3 3.9 2.6 17.2A2 2 0 0 0 4.3 20h15.4a2 2 0 0 0 1.7-2.8L13.7 3.9a2 2 0 0 0-3.4 0Z',
  attach:
    'm20 11.5-8.4 8.4a5.5 5.5 0 0 1-7.8-7.8l8.5-8.4a3.7 3.7 0 0 1 5.2 5.2l-8.5 8.4a1.8 1.8 0 0 1-2.6-2.6l7.8-7.7',
  branch:
    'M6 4v10m0 0a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Zm12-5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm0 0c0 4-4 5-9.8 6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h9.5a1 1 0 0 1 1 1v9.500a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1Zm-4.500 6a1 1 0 0 1-1-1V4.500a1 1 0 0 1 1-1H14a1 1 0 0 1 1 1',
  edit: 'M4 20h4L19 9l-4-4L4 16v4Zm9-13 4 4',
  help: 'M9.200 9a3 3 0 0 1 5.800 1c0 2-3 2.500-3 4m0 3v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  left: 'm14.500 6-6 6 6 6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  retry: 'M4.500 12a7.500 7.500 0 1 0 2.200-5.300L4.500 9m0-4.500V9H9',
  right: 'm9.500 6 6 6-6 6',
  send: 'M12 19V5m-6.500 6.500L12 5l6.500 6.500',
  settings:
    'M4 8h9m5 0h2M4 16h2m5 0h9M15.500 10.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Zm-7 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  stop: 'M7.500 7.500h9v9h-9z',
  tool: 'M14.500 6.500a4 4 0 0 0-5 5L4 17l3 3 5.500-5.500a4 4 0 0 0 5-5L15 12l-3-3 2.500-2.500Z',
  trash: 'M5 7h14M10 7V4.500h4V7m-7.500 0 .8 12.500h9.400L17.500 7M10.500 11v5m3-5v5',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside or instead of a word; what stands for it is in the label of its button. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
