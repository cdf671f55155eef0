import { applyTheme, chooseTheme } from '../../app/theme.ts'

/** The button that turns light into dark, for the console too. */
export function startThemeSwitch(): void {
  applyTheme()
  const button = document.querySelector<HTMLButtonElement>('[data-theme-switch]')
  if (button === null) return
  const name = (): void => {
    button.textContent = document.documentElement.dataset['theme'] === 'dark' ? 'Light' : 'Dark'
  }
  name()
  button.addEventListener('click', () => {
    chooseTheme(document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark')
    name()
  })
}
