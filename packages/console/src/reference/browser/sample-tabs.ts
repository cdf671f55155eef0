/** The tabs of languages. The one that was picked last is shown on every page that has it. */
const STORAGE_KEY = 'svc-docs-language'

function pick(tabs: Element, tab: HTMLElement): void {
  for (const each of tabs.querySelectorAll<HTMLElement>('[role=tab]')) {
    const isPicked = each === tab
    each.setAttribute('aria-selected', String(isPicked))
    each.tabIndex = isPicked ? 0 : -1
    const panel = document.getElementById(each.getAttribute('aria-controls') ?? '')
    if (panel !== null) panel.hidden = !isPicked
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

function remember(language: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, language)
  } catch {
    // A browser that keeps nothing shows the first.
  }
}

export function startTabs(): void {
  for (const tabs of document.querySelectorAll('[data-tabs]')) {
    const all = [...tabs.querySelectorAll<HTMLElement>('[role=tab]')]
    const known = all.find(({ textContent }) => textContent === remembered())
    if (known !== undefined) pick(tabs, known)
    tabs.addEventListener('click', ({ target }) => {
      const tab = target instanceof Element ? target.closest<HTMLElement>('[role=tab]') : null
      if (tab === null) return
      pick(tabs, tab)
      remember(tab.textContent ?? '')
    })
    tabs.addEventListener('keydown', (event) => {
      const { key } = event as KeyboardEvent
      const at = all.indexOf(document.activeElement as HTMLElement)
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      const next = all[(at + step + all.length) % all.length]
      if (at < 0 || step === 0 || next === undefined) return
      event.preventDefault()
      next.focus()
      next.click()
    })
  }
}
