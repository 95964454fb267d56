import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** So near, in pixels, counts as the end. */
const NEAR = 80;

/** Keeps the end of a scrolling element in sight while what is in it grows, unless the user has scrolled away from it. */
export function useFollowEnd(id: string | undefined): RefObject<HTMLElement | null> {
  const element = useRef<HTMLElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const scroller = element.current;
    if (!scroller) return;
    const look = () => {
      follows.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
    };
    const follow = () => {
      if (follows.current) scroller.scrollTop = scroller.scrollHeight;
    };
    // Told once a frame, when the layout is known.
    const observer = new ResizeObserver(follow);
    for (const watched of [scroller, ...scroller.children]) observer.observe(watched);
    scroller.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', look);
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is shown from its end
  useLayoutEffect(() => {
    follows.current = true;
    if (element.current) element.current.scrollTop = element.current.scrollHeight;
  }, [id]);
  return element;
}
