/**
 * Light, dark, or as the system has it. This, the team that was looked at last and what the playground holds are all
 * that is kept in the browser.
 */
export type Theme = 'light' | 'dark' | 'system'

const STORAGE_KEY = 'svc-theme'
const THEMES: readonly Theme[] = ['light', 'dark', 'system']

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return THEMES.find((theme) => theme === stored) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Sets the theme of the page, now and when the system changes. */
export function applyTheme(theme: Theme = readTheme()): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
  dark.onchange = () => applyTheme()
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme)
  } catch {
    // A browser that keeps nothing still shows the theme until the page is left.
  }
  applyTheme(theme)
}
