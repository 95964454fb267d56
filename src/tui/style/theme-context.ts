import { createContext, useContext } from 'react';
import { chooseTheme, type Theme } from './theme.ts';

/**
 * Components style text with the theme rather than Ink's `color` and `dimColor`: those go through chalk, which guesses
 * from the environment and knows neither `NO_COLOR` nor the configured theme.
 */
export const ThemeContext = createContext<Theme>(chooseTheme('none', false, {}));

export const useTheme = (): Theme => useContext(ThemeContext);
