const SAID_MS = 2_000

/** The buttons that copy the code beside them: of several languages, the one that is shown. */
export function startCopying(): void {
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('[data-copy]') : null
    const blocks = button?.closest('[data-code]')?.querySelectorAll('pre code') ?? []
    const shown = [...blocks].find((block) => block.closest('[hidden]') === null)
    if (button === null || shown === undefined) return
    const say = (text: string): void => {
      button.textContent = text
      setTimeout(() => (button.textContent = 'Copy'), SAID_MS)
    }
    navigator.clipboard.writeText((shown.textContent ?? '').replace(/\n$/, '')).then(
      () => say('Copied'),
      () => say('Select and copy'),
    )
  })
}
