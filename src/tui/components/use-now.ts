import { useEffect, useState } from 'react';

const TICK_MS = 125;

/** The time in milliseconds; while `ticking`, the component is rendered again eight times a second. */
export function useNow(ticking: boolean): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setTick(tick => tick + 1), TICK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }, [ticking]);
  return Date.now();
}
