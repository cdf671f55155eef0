import { useEffect } from 'react'

/** What closes gives the focus back a moment later. */
const SETTLED_MS = 50

/**
 * Keeps the keyboard in the page where what had the focus goes: a button whose work is done, a row that is removed. The
 * browser would begin at the top of the document again.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const note = (event: Event): void => {
      focused = event.type === 'focusin' && event.target instanceof Element ? event.target : null
    }
    const goOn = (): void => {
      if (focused?.isConnected !== false || document.activeElement !== document.body) return
      focused = null
      document.getElementById('content')?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      if (focused?.isConnected !== false) return
      clearTimeout(timer)
      timer = setTimeout(goOn, SETTLED_MS)
    })
    // A press beside everything takes the focus away by the person's own doing.
    for (const type of ['focusin', 'pointerdown']) document.addEventListener(type, note)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      clearTimeout(timer)
      for (const type of ['focusin', 'pointerdown']) document.removeEventListener(type, note)
    }
  }, [])
}
