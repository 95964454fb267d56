import { createContext, useContext } from 'react';
import { chooseTheme, type Theme } from './theme.ts';

/**
 * Components style text with the theme instead of Ink's `color` and `dimColor`: those ask chalk, which guesses from the
 * environment and knows neither `NO_COLOR` nor the theme in the configuration.
 */
export const ThemeContext = createContext<Theme>(chooseTheme('none', false, {}));

export const useTheme = (): Theme => useContext(ThemeContext);
