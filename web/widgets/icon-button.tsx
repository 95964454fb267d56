import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'type'> {
  readonly icon: IconName;
  /** Names its effect, also for screen readers. */
  readonly label: string;
}

export function IconButton({ icon, label, className = 'quiet', ...rest }: IconButtonProps) {
  return (
    <button type="button" className={className} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
